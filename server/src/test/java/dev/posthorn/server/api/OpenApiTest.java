package dev.posthorn.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.yaml.snakeyaml.Yaml;

class OpenApiTest {

    private static final Path DOCUMENT = Path.of("..", "docs", "openapi.yaml");

    private static TestHub hub;

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of(
                "springdoc.api-docs.enabled", true,
                "springdoc.api-docs.version", "openapi_3_1",
                "springdoc.writer-with-order-by-keys", true,
                "springdoc.override-with-generic-response", false,
                "springdoc.default-flat-param-object", true,
                "springdoc.paths-to-match", "/v1/**,/dlt-messages,/replay"));
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @Test
    void theCommittedDescriptionIsThatOfTheHub() throws Exception {
        TestClient.Answer generated = hub.rest().get("/v3/api-docs.yaml");
        assertThat(generated.status()).as(generated.text()).isEqualTo(200);
        assertThat(generated.text()).startsWith("openapi: 3.1");
        if (Boolean.getBoolean("posthorn.openapi.write")) {
            Files.writeString(DOCUMENT, generated.text());
        }
        assertThat(Files.readString(DOCUMENT))
                .as("docs/openapi.yaml; -Dposthorn.openapi.write=true writes it anew")
                .isEqualTo(generated.text());
    }

    @Test
    void everyCallOfTheHubIsDescribedTheShortPathsToo() throws Exception {
        Map<String, Map<String, Map<String, Object>>> described = described();
        RequestMappingHandlerMapping mapping =
                hub.bean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class);
        List<String> calls = new ArrayList<>();
        mapping.getHandlerMethods().forEach((info, call) -> {
            if (call.getBeanType().getName().startsWith("dev.posthorn.")) {
                for (String path : info.getPatternValues()) {
                    info.getMethodsCondition().getMethods().forEach(method -> calls.add(method + " " + path));
                }
            }
        });
        assertThat(calls).contains("GET /dlt-messages", "POST /replay").allSatisfy(call -> {
            String[] parts = call.split(" ", 2);
            assertThat(described.get(parts[1])).as(call).containsKey(parts[0].toLowerCase(Locale.ROOT));
        });
    }

    @Test
    void everyCallHasAnIdOfItsOwn() throws Exception {
        List<Object> ids = described().values().stream()
                .flatMap(path -> path.values().stream())
                .map(call -> call.get("operationId"))
                .toList();
        assertThat(ids).doesNotContainNull().doesNotHaveDuplicates();
    }

    private static Map<String, Map<String, Map<String, Object>>> described() throws Exception {
        Map<String, Map<String, Map<String, Map<String, Object>>>> document =
                new Yaml().load(Files.readString(DOCUMENT));
        return document.get("paths");
    }

    @Test
    void theHubServesWhatIsCommitted() throws Exception {
        assumeFalse(Boolean.getBoolean("posthorn.openapi.write"), "the class path still has the former one");
        TestClient.Answer served = hub.rest().get("/v1/openapi.yaml");
        assertThat(served.status()).isEqualTo(200);
        assertThat(served.header("Content-Type")).isEqualTo("application/yaml");
        assertThat(served.text()).isEqualTo(Files.readString(DOCUMENT));
    }

    @Test
    void nothingButTheTestGeneratesIt() {
        try (TestHub other = TestHub.start()) {
            assertThat(other.rest().get("/v3/api-docs.yaml").status()).isEqualTo(404);
        }
    }
}
