package dev.posthorn.server.ingest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.posthorn.server.RecordedAtHub;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.json.Texts;
import java.nio.charset.Charset;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class HostileJsonTest {

    private static TestHub hub;

    @BeforeAll
    static void start() {
        hub = TestHub.start();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    private static final String GOOD = "{\"source\":\"s\",\"type\":\"t\",\"data\":1}";

    private static String with(String more) {
        return "{\"source\":\"s\",\"type\":\"t\",\"data\":1," + more + "}";
    }

    private static String data(String data) {
        return "{\"source\":\"s\",\"type\":\"t\",\"data\":" + data + "}";
    }

    private static Arguments row(String what, String body, String says) {
        return row(what, body, UTF_8, says);
    }

    private static Arguments row(String what, String body, Charset charset, String says) {
        return arguments(what, body.getBytes(charset), says);
    }

    static Stream<Arguments> bodies() {
        return Stream.concat(Stream.concat(shapes(), texts()), structures());
    }

    private static Stream<Arguments> shapes() {
        return Stream.of(
                row("empty", "", "is empty"),
                row("white space", " \n ", "is empty"),
                row("an empty array", "[]", "holds no event"),
                row("null", "null", "must be one event"),
                row("a number", "1", "must be one event"),
                row("a text", "\"x\"", "must be one event"),
                row("an array of arrays", "[[" + GOOD + "]]", "[0]"),
                row("an array of null", "[null]", "[0]"),
                row("an empty object", "{}", "is missing"),
                row("two values", GOOD + GOOD, "goes on after its end"),
                row("garbage after the end", GOOD + "]", "not JSON"),
                row("garbage after the end", GOOD + " x", "not JSON"),
                row("truncated", GOOD.substring(0, GOOD.length() - 1), "ends in the middle"),
                row("truncated in a text", "{\"source\":\"s", "ends in the middle"),
                row(
                        "truncated in the data",
                        "{\"source\":\"s\",\"type\":\"t\",\"data\":{\"a\":[",
                        "ends in the middle"),
                row("truncated in an array", "[" + GOOD + ",", "[1]"),
                row("truncated in an escape", "{\"source\":\"\\u00", "ends in the middle"),
                row("not JSON", "<event/>", "not JSON"),
                row("single quotes", "{'source':'s'}", "not JSON"),
                row("a comment", "/* */" + GOOD, "not JSON"),
                row("a comma too many", with("\"key\":\"k\","), "not JSON"),
                row("NaN", data("NaN"), "not JSON"),
                row("a leading zero", data("01"), "not JSON"),
                row("half a literal", data("tru"), "not JSON"),
                row("another encoding", GOOD, UTF_16, "UTF-8"),
                row("another encoding without a mark", GOOD, UTF_16LE, "UTF-8"),
                row("invalid UTF-8", with("\"key\":\"\u00ff\""), ISO_8859_1, "UTF-8"),
                row("invalid UTF-8 in the data", data("\"\u00c3\""), ISO_8859_1, "UTF-8"),
                row("an overlong form in the data", data("\"\u00c0\u00af\""), ISO_8859_1, "UTF-8"),
                row("a surrogate in UTF-8 in the data", data("\"\u00ed\u00a0\u0080\""), ISO_8859_1, "UTF-8"),
                row("a NUL byte", data("1\0"), "not JSON"),
                row("a NUL byte in a text", with("\"key\":\"\0\""), "not JSON"),
                row("a NUL byte first", "\0" + GOOD, "UTF-8"));
    }

    private static Stream<Arguments> texts() {
        return Stream.of(
                        "id",
                        "source",
                        "type",
                        "aggregateType",
                        "key",
                        "occurredAt",
                        "deliverAt",
                        "contentType",
                        "dataBase64")
                .flatMap(field -> Stream.of(
                        row("half a pair in " + field, text(field, "\\ud800"), field + ": "),
                        row("the other half in " + field, text(field, "a\\udc00b"), field + ": "),
                        row("a NUL in " + field, text(field, "a\\u0000"), field + ": "),
                        row(
                                "a long " + field,
                                text(field, "x".repeat(79) + "\\ud83d\\ude00".repeat(1000)),
                                field + ": ")));
    }

    /** An event of which this field alone is odd. */
    private static String text(String field, String value) {
        String others = Stream.of("source", "type", "data")
                .filter(each -> !each.equals(field) && !(each.equals("data") && field.equals("dataBase64")))
                .map(each -> ",\"" + each + "\":\"x\"")
                .reduce("", String::concat);
        return "{\"" + field + "\":\"" + value + "\"" + others + "}";
    }

    private static Stream<Arguments> structures() {
        return Stream.of(
                row("half a pair in a header", with("\"headers\":{\"x\":\"\\ud800\"}"), "headers.x: "),
                row("half a pair in a header's name", with("\"headers\":{\"\\ud800\":\"x\"}"), "headers: "),
                row("a NUL in a header", with("\"headers\":{\"x\":\"\\u0000\"}"), "headers.x: "),
                row("half a pair in a field's name", with("\"\\ud800\":1"), "not JSON"),
                row("a long field's name", with("\"" + "n".repeat(40_000) + "\":1"), "is not a field"),
                row("a field's name beyond all limits", with("\"" + "n".repeat(100_000) + "\":1"), "too long"),
                row("a field twice", with("\"source\":\"s\""), "source: is given more than once"),
                row("the data twice", with("\"data\":1"), "data: is given more than once"),
                row(
                        "a header twice",
                        with("\"headers\":{\"x\":\"\",\"x\":\"\"}"),
                        "headers.x: is given more than once"),
                row(
                        "a field of the data twice",
                        data("{\"a\":[{\"b\":1,\"b\":2}]}"),
                        "data.a[0].b: is given more than once"),
                row("a field twice, escaped", with("\"sour\\u0063e\":\"s\""), "source: is given more than once"),
                row(
                        "a field twice in an array",
                        "[" + GOOD + "," + with("\"type\":1") + "]",
                        "item 1: [1].type: is given"),
                row("half a pair as a name, twice", data("{\"\\ud800\":1,\"\\ud800\":1}"), "not JSON"),
                row("arrays too deep", data("[".repeat(100) + "]".repeat(100)), "posthorn.limits.depth"),
                row("objects too deep", data("{\"a\":".repeat(100) + "1" + "}".repeat(100)), "posthorn.limits.depth"),
                row("100,000 brackets", "[".repeat(100_000), "posthorn.limits.depth"),
                row("an unknown field too deep", with("\"x\":" + "[".repeat(100_000)), "posthorn.limits.depth"),
                row("a number of 10,000 digits", data("1".repeat(10_000)), "too long"),
                row("a fraction of 10,000 digits", data("0." + "1".repeat(10_000)), "too long"),
                row("an exponent of 10,000 digits", data("1e" + "1".repeat(10_000)), "too long"),
                row("a version of 10,000 digits", with("\"version\":" + "1".repeat(10_000)), "too long"),
                row("a version of 50 digits", with("\"version\":" + "1".repeat(50)), "version: must be a whole number"),
                row("a key of 1 MB", with("\"key\":\"" + "k".repeat(1 << 20) + "\""), "has 1048576 bytes"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bodies")
    void isRefusedInWords(String what, byte[] body, String says) {
        Answer answer = hub.rest().with("Content-Type", "application/json").call("POST", "/v1/events", body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.json().get("detail").asString())
                .contains(says)
                .doesNotContain("jackson", "Exception", "StreamRead", "java");
        assertThat(Texts.isWellFormed(answer.json().get("detail").asString())).isTrue();
        assertThat(answer.text().length()).isLessThan(2_000);
        assertThat(RecordedAtHub.all(hub)).isEmpty();
    }
}
