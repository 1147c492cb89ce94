package dev.posthorn.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

class RoleTableTest {

    private static final String ADMIN_KEY = "admin-key-of-the-settings";

    private static TestHub hub;
    private static final Map<String, String> KEYS = new LinkedHashMap<>();

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("posthorn.access.admin-key", ADMIN_KEY));
        TestClient admin = hub.rest().with("Authorization", "Bearer " + ADMIN_KEY);
        for (Role role : Role.values()) {
            String json = "{\"name\": \"a-%s\", \"role\": \"%s\"}".formatted(role, role);
            KEYS.put(
                    role.toString(),
                    admin.post("/v1/keys", json).json().path("key").asString());
        }
        KEYS.put(
                "revoked",
                admin.post("/v1/keys", "{\"name\": \"gone\", \"role\": \"admin\"}")
                        .json()
                        .path("key")
                        .asString());
        assertThat(admin.delete("/v1/keys/gone").status()).isEqualTo(204);
        KEYS.put("settings", ADMIN_KEY);
        KEYS.put("unknown", KeySecret.create());
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    static Stream<RoleTable.Row> rows() {
        return Stream.concat(RoleTable.ROWS.stream(), RoleTable.ACTUATOR.stream());
    }

    @ParameterizedTest
    @MethodSource("rows")
    void everyRoleMayDoWhatTheTableSaysAndNothingElse(RoleTable.Row row) {
        assertThat(admitted(row, hub.rest())).as("%s without a key", row.name()).isEqualTo(row.open() ? "yes" : "401");
        KEYS.forEach((who, key) -> {
            TestClient bearer = hub.rest().with("Authorization", "Bearer " + key);
            assertThat(admitted(row, bearer)).as("%s by %s", row.name(), who).isEqualTo(expected(row, who));
            TestClient header = hub.rest().with("X-API-Key", key);
            assertThat(admitted(row, header)).as("%s by %s", row.name(), who).isEqualTo(expected(row, who));
        });
    }

    private static String expected(RoleTable.Row row, String who) {
        if (row.open() || List.of("admin", "settings").contains(who)) {
            return "yes";
        }
        if (List.of("revoked", "unknown").contains(who)) {
            return "401";
        }
        return row.roles().contains(Role.valueOf(who.toUpperCase(Locale.ROOT))) ? "yes" : "403";
    }

    /** Admitted is whoever gets any other answer: that of a thing that is not there, or of a body that is none. */
    private static String admitted(RoleTable.Row row, TestClient client) {
        String path = row.path().replaceAll("\\{[^}]*}", "nothing");
        if (path.equals("/v1/stream")) {
            // Its answer would not end.
            path += "?topics=nothing";
        }
        boolean hasBody = List.of("POST", "PUT", "PATCH").contains(row.method());
        TestClient.Answer answer = hasBody
                ? client.with("Content-Type", "application/json").call(row.method(), path, "{".getBytes(UTF_8))
                : client.call(row.method(), path, null);
        return switch (answer.status()) {
            case 401, 403 -> String.valueOf(answer.status());
            case 200, 204, 400, 404, 409 -> "yes";
            default -> fail(row.name() + " answers " + answer.status() + " " + answer.text());
        };
    }

    @Test
    void everyCallOfTheApiStandsInTheTableAndTheOtherWayRound() {
        List<String> table = RoleTable.ROWS.stream().map(RoleTable.Row::name).toList();
        assertThat(table)
                .as("a row without a call, or a call without a row: see RoleTable")
                .containsExactlyInAnyOrderElementsOf(calls().keySet());
    }

    @Test
    void everyCallOfTheApiSaysWhoMayMakeIt() {
        Map<String, HandlerMethod> calls = calls();
        for (RoleTable.Row row : RoleTable.ROWS) {
            HandlerMethod call = calls.get(row.name());
            Allowed allowed = call == null ? null : call.getMethodAnnotation(Allowed.class);
            assertThat(call != null && call.hasMethodAnnotation(Open.class))
                    .as(row.name())
                    .isEqualTo(row.open());
            assertThat(allowed == null)
                    .as("%s has @Allowed or @Open", row.name())
                    .isEqualTo(row.open());
            if (allowed != null) {
                assertThat(Stream.of(allowed.value())
                                .filter(each -> each != Role.ADMIN)
                                .collect(Collectors.toSet()))
                        .as(row.name())
                        .isEqualTo(row.roles());
            }
        }
    }

    private static Map<String, HandlerMethod> calls() {
        Map<String, HandlerMethod> calls = new LinkedHashMap<>();
        RequestMappingHandlerMapping mapping =
                hub.bean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class);
        mapping.getHandlerMethods().forEach((info, call) -> {
            if (call.getBeanType().getName().startsWith("dev.posthorn.")) {
                names(info).forEach(name -> calls.put(name, call));
            }
        });
        return calls;
    }

    private static List<String> names(RequestMappingInfo info) {
        return info.getPatternValues().stream()
                .flatMap(
                        path -> info.getMethodsCondition().getMethods().stream().map(method -> method + " " + path))
                .toList();
    }

    @Test
    void theDocumentationShowsTheSameTable() throws Exception {
        String page = Files.readString(Path.of("..", "docs", "access.md"));
        Stream.of(RoleTable.ROWS, RoleTable.ACTUATOR)
                .flatMap(List::stream)
                .forEach(row -> assertThat(page).contains("| `%s` | %s |".formatted(row.name(), cell(row))));
    }

    private static String cell(RoleTable.Row row) {
        String roles = Stream.of(Role.values())
                .filter(each -> each == Role.ADMIN || row.roles().contains(each))
                .map(Role::toString)
                .collect(Collectors.joining(", "));
        return row.open() ? "everybody" : roles;
    }
}
