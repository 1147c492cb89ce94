package dev.posthorn.server.deadletters;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.relay.Relay;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Whatever stands in a filter is looked for as it is: it is no pattern, and never becomes part of a statement. */
@Tag("slow")
class FilterFuzzTest {

    private static final long SEED = 6;
    private static final List<String> FIELDS = List.of("errorMessage", "errorClass", "cause", "type", "source", "key");
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Each of them is the type, source, key, error class, cause and message of one letter. */
    private static final List<String> STORED = Stream.concat(
                    Stream.of(
                            "abc",
                            "aXc",
                            "a%c",
                            "a_c",
                            "%",
                            "_",
                            "\\",
                            "\\%",
                            "a\\",
                            "'",
                            "''",
                            "\"",
                            "' OR '1'='1",
                            "'; DROP TABLE posthorn.dead_letter; --",
                            "$1",
                            "?",
                            ":letter_type",
                            "${x}",
                            "{condition}",
                            "(*) [a-z]+ .*",
                            "\u00e9t\u00e9",
                            "\u00c9T\u00c9",
                            "e\u0301",
                            "\ud83d\ude00",
                            "\u0130\u0131\u00df",
                            "\u202e\ufeff",
                            "line\nbreak\ttab",
                            "null",
                            "posthorn.event"),
                    random())
            .distinct()
            .toList();

    private static final List<String> NEVER_STORED = List.of(
            "",
            "\0",
            "a\0b",
            "\ud800",
            "a\udc00b",
            "x".repeat(10_000),
            "%".repeat(10_000),
            "'".repeat(1_000),
            "zzz%zzz");

    private static TestHub hub;

    private static Stream<String> random() {
        Random random = new Random(SEED);
        String alphabet = "ab%_\\'\"$:;-*?{}()[]\u00e9\u4e2d";
        return Stream.generate(() -> {
                    StringBuilder text = new StringBuilder();
                    for (int i = random.nextInt(6); i >= 0; i--) {
                        text.append(alphabet.charAt(random.nextInt(alphabet.length())));
                    }
                    return text.toString();
                })
                .limit(60);
    }

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("posthorn.limits.headers", "128KB"));
        Relay.builder(hub.bean(Database.class).direct())
                .subscribe(
                        Subscription.to("billing", RecordingSink.oneAtATime()).build())
                .start()
                .close();
        Letters letters = new Letters(hub);
        for (String text : STORED) {
            Map<String, Object> values = Letters.usual("billing");
            for (String column : List.of("source", "type", "key", "error_class", "error_message", "cause")) {
                values.put(column, text);
            }
            letters.write(values);
        }
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    /** A URL cannot say half a surrogate pair. */
    private static Stream<String> textsOfUrls() {
        return texts().filter(text -> UTF_8.newEncoder().canEncode(text));
    }

    private static Stream<String> texts() {
        return Stream.concat(STORED.stream(), NEVER_STORED.stream());
    }

    /** As PostgreSQL tells, which knows upper and lower case of letters that are no ASCII or does not. */
    private static boolean mayMatch(String field, String stored, String asked) {
        return field.equals("errorMessage")
                ? stored.toLowerCase(Locale.ROOT).contains(asked.toLowerCase(Locale.ROOT))
                        || stored.toUpperCase(Locale.ROOT).contains(asked.toUpperCase(Locale.ROOT))
                : stored.equals(asked);
    }

    private static boolean mustMatch(String field, String stored, String asked) {
        return field.equals("errorMessage") ? stored.contains(asked) : stored.equals(asked);
    }

    @Test
    void aFilterInAUrlFindsWhatItSaysAndNothingElse() {
        for (String field : FIELDS) {
            textsOfUrls().forEach(text -> {
                TestClient.Answer answer =
                        hub.rest().get("/v1/dlt-messages?limit=1000&" + field + "=" + URLEncoder.encode(text, UTF_8));
                assertThat(answer.status())
                        .as(field + "=" + text + answer.text())
                        .isIn(200, 400);
                if (answer.status() == 400) {
                    assertThat(STORED).doesNotContain(text);
                    assertThat(answer.json().get("detail").asString()).contains(field + ":");
                } else if (!NEVER_STORED.contains(text)) {
                    check(field, text, answer);
                } else {
                    assertThat(answer.json().get("items").size()).as(text).isZero();
                }
            });
        }
    }

    private static void check(String field, String text, TestClient.Answer answer) {
        List<String> found = new ArrayList<>();
        answer.json().get("items").forEach(item -> found.add(item.get(field).asString()));
        assertThat(found).as(field + "=" + text).allMatch(stored -> mayMatch(field, stored, text));
        assertThat(found)
                .containsAll(STORED.stream()
                        .filter(stored -> mustMatch(field, stored, text))
                        .toList());
    }

    @Test
    void aFilterInABodyFindsWhatItSaysAndNothingElse() {
        for (String field : FIELDS) {
            texts().forEach(text -> {
                String body = JSON.writeValueAsString(Map.of("dryRun", true, "filter", Map.of(field, "@@")))
                        .replace("@@", escaped(text));
                TestClient.Answer answer = hub.rest().post("/v1/dlt-messages/discard", body);
                assertThat(answer.status()).as(body + answer.text()).isIn(200, 400);
                if (answer.status() == 200) {
                    assertThat(answer.json().get("matching").asLong())
                            .as(body)
                            .isBetween(
                                    STORED.stream()
                                            .filter(stored -> mustMatch(field, stored, text))
                                            .count(),
                                    STORED.stream()
                                            .filter(stored -> mayMatch(field, stored, text))
                                            .count());
                } else {
                    assertThat(STORED).doesNotContain(text);
                }
            });
        }
    }

    /** Any text can be the id of a message, or a name that nobody has. */
    private static List<Integer> allowed(String field) {
        return switch (field) {
            case "subscriberId" -> List.of(400, 404);
            case "messageId" -> List.of(400, 200);
            default -> List.of(400);
        };
    }

    /** Every character by its number, so that also half a surrogate pair can be said. */
    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.chars().forEach(c -> escaped.append("\\u%04x".formatted(c)));
        return escaped.toString();
    }

    @Test
    void noOtherFieldTakesAnythingForMoreThanText() {
        texts().filter(text -> !text.isEmpty()).forEach(text -> {
            String encoded = URLEncoder.encode(text, UTF_8);
            for (String field : List.of(
                    "subscriberId",
                    "messageId",
                    "from",
                    "to",
                    "attemptsAtLeast",
                    "replayed",
                    "discarded",
                    "limit",
                    "after",
                    "count")) {
                TestClient.Answer answer = hub.rest().get("/v1/dlt-messages?" + field + "=" + encoded);
                assertThat(answer.status())
                        .as(field + "=" + text + answer.text())
                        .isIn(allowed(field));
            }
            String body = "{\"subscriberId\": \"billing\", \"errorClass\": \"%1$s\", \"cause\": \"%1$s\"}"
                    .formatted(escaped(text));
            assertThat(hub.rest().put("/v1/dlt-messages/groups/note", body).status())
                    .as(body)
                    .isIn(204, 400);
        });
    }

    @Test
    void aPercentSignIsAPercentSign() {
        TestClient.Answer answer = hub.rest().get("/v1/dlt-messages?limit=1000&errorMessage=%25");
        answer.json()
                .get("items")
                .forEach(item -> assertThat(item.get("errorMessage").asString()).contains("%"));
        assertThat(answer.json().get("items").size()).isEqualTo((int)
                STORED.stream().filter(text -> text.contains("%")).count());
        TestClient.Answer wide = hub.rest().get("/v1/dlt-messages?errorMessage=a%25c");
        assertThat(wide.json().get("items").size()).isEqualTo(1);
    }
}
