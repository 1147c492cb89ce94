package dev.posthorn.server.ingest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.inbox.Inbox;
import dev.posthorn.inbox.Once;
import dev.posthorn.server.RecordedAtHub;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class PublishTest {

    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    private static TestHub hub;

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of(
                "posthorn.limits.batch", 50, "posthorn.limits.body", "200KB", "posthorn.limits.payload", "1000B"));
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    private static Answer publish(String json) {
        return hub.rest().post("/v1/events", json);
    }

    private static Event published(String json) {
        Answer answer = publish(json);
        assertThat(answer.status()).as(answer.text()).isEqualTo(202);
        return RecordedAtHub.byId(hub, answer.json().get("id").asString());
    }

    @Test
    void aConsumerNamedPosthornOnTheSameDatabaseHasItsEffect() {
        Event event = published("{\"source\": \"shop\", \"type\": \"order.placed\", \"data\": {}}");
        Once<String> once =
                Inbox.create().once(hub.bean(Database.class).calls(), "posthorn", event.id(), connection -> "done");
        assertThat(once.isDuplicate()).isFalse();
    }

    @Test
    void oneEventIsAnsweredWithItsId() {
        Answer answer =
                publish("{\"id\": \"o-1/placed\", \"source\": \"shop\", \"type\": \"order.placed\", \"data\": 1}");
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.text()).isEqualTo("{\"id\":\"o-1/placed\",\"duplicate\":false}");
        assertThat(RecordedAtHub.byId(hub, "o-1/placed").type()).isEqualTo("order.placed");
    }

    @Test
    void anArrayIsAnsweredWithAnArrayInItsOrder() {
        Answer answer = publish("""
                [{"id": "b", "source": "s", "type": "t", "data": 1}, {"source": "s", "type": "t", "data": 2},
                 {"id": "a", "source": "s", "type": "t", "data": 3}]""");
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.json()).hasSize(3);
        assertThat(answer.json().get(0).get("id").asString()).isEqualTo("b");
        assertThat(answer.json().get(2).get("id").asString()).isEqualTo("a");
    }

    @Test
    void everyFieldIsRecorded() {
        Event event = published("""
                {"id": "0190B3A8-6F5C-7B53-8A5C-0123456789AB", "source": "shop", "type": "order.paid", "version": 3,
                 "aggregateType": "order", "key": "o-7 é", "occurredAt": "2026-11-15T19:30:00.5+01:00",
                 "deliverAt": "2036-01-01T00:00:00Z", "headers": {"x-tenant": "a", "X-Note": "grüße"},
                 "contentType": "application/vnd.shop+json; v=1", "data": {"n": 1}}""");
        assertThat(event.id()).hasToString("0190b3a8-6f5c-7b53-8a5c-0123456789ab");
        assertThat(event.sourceId()).isEqualTo("0190B3A8-6F5C-7B53-8A5C-0123456789AB");
        assertThat(event.source()).isEqualTo("shop");
        assertThat(event.version()).isEqualTo(3);
        assertThat(event.aggregateType()).isEqualTo("order");
        assertThat(event.key()).isEqualTo("o-7 é");
        assertThat(event.occurredAt()).isEqualTo(Instant.parse("2026-11-15T18:30:00.5Z"));
        assertThat(event.deliverAt()).isEqualTo(Instant.parse("2036-01-01T00:00:00Z"));
        assertThat(event.headers()).isEqualTo(Map.of("x-tenant", "a", "X-Note", "grüße"));
        assertThat(event.contentType()).isEqualTo("application/vnd.shop+json; v=1");
        assertThat(event.payload()).isEqualTo("{\"n\": 1}".getBytes(UTF_8));
    }

    @Test
    void whatIsNullCountsAsLeftOut() {
        Event event = published("""
                {"id": null, "source": "s", "type": "null.fields", "version": null, "aggregateType": null, "key": null,
                 "occurredAt": null, "deliverAt": null, "headers": null, "contentType": null, "data": 0,
                 "dataBase64": null}""");
        assertThat(event.contentType()).isEqualTo("application/json");
        assertThat(event.version()).isEqualTo(1);
        assertThat(event.key()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.0e3",
                "-0.0",
                "12345678901234567890.12345678901234567890",
                "true",
                "\"\"",
                "\"a\\u00e9\\/\\ud800 é 😀\"",
                "[ ]",
                "{\t}",
                "[1 ,\n\t2 , {\"b\" :  1 ,\"a\":[ [ ] ] }  ]",
                "{\"z\": 1.10, \"a\": \"\\u0000\"}"
            })
    void dataIsRecordedAsItWasSent(String data) {
        byte[] bytes = data.getBytes(UTF_8);
        for (String around : List.of("%s", " %s ", "\n\t%s\r\n")) {
            String value = around.formatted(data);
            assertThat(published("{\"source\":\"s\",\"type\":\"t\",\"data\":" + value + "}")
                            .payload())
                    .isEqualTo(bytes);
            assertThat(published("{\"key\":\"é😀\",\"data\":" + value + ",\"source\":\"s\",\"type\":\"t\"}")
                            .payload())
                    .isEqualTo(bytes);
        }
    }

    @Test
    void aByteOrderMarkDoesNotShiftTheData() {
        assertThat(published("\ufeff{\"source\":\"s\",\"type\":\"t\",\"data\":{\"a\": 1}}")
                        .payload())
                .isEqualTo("{\"a\": 1}".getBytes(UTF_8));
    }

    @Test
    void oddBytesAreRecordedExactly() {
        Random random = new Random(7);
        Map<String, byte[]> sent =
                IntStream.range(0, 100).boxed().collect(Collectors.toMap(i -> "odd-" + i, i -> bytes(random, i * 7)));
        List<String> events = new ArrayList<>();
        sent.forEach((id, bytes) -> events.add("{\"id\":\"%s\",\"source\":\"s\",\"type\":\"odd\",\"dataBase64\":\"%s\"}"
                .formatted(id, Base64.getEncoder().encodeToString(bytes))));
        for (int from = 0; from < 100; from += 50) {
            assertThat(publish(events.subList(from, from + 50).toString()).status())
                    .isEqualTo(202);
        }
        List<Event> recorded = RecordedAtHub.all(hub).stream()
                .filter(event -> event.type().equals("odd"))
                .toList();
        assertThat(recorded).hasSize(100).allSatisfy(event -> {
            assertThat(event.payload()).isEqualTo(sent.get(event.sourceId()));
            assertThat(event.contentType()).isEqualTo("application/octet-stream");
        });
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'type':'t','data':1}|source|is missing",
                "{'source':null,'type':'t','data':1}|source|is missing",
                "{'source':'s','data':1}|type|is missing",
                "{'source':'a b','type':'t','data':1}|source|visible ASCII",
                "{'source':'s','type':'a*','data':1}|type|visible ASCII",
                "{'source':5,'type':'t','data':1}|source|must be a text",
                "{'source':['s'],'type':'t','data':1}|source|must be a text",
                "{'source':'s','type':'t','data':1,'id':7}|id|must be a text",
                "{'source':'s','type':'t','data':1,'id':''}|id|is empty",
                "{'source':'s','type':'t','data':1,'version':0}|version|at least 1",
                "{'source':'s','type':'t','data':1,'version':1.5}|version|whole number",
                "{'source':'s','type':'t','data':1,'version':'1'}|version|whole number",
                "{'source':'s','type':'t','data':1,'version':2147483648}|version|whole number",
                "{'source':'s','type':'t','data':1,'aggregateType':''}|aggregateType|is empty",
                "{'source':'s','type':'t','data':1,'key':''}|key|is empty",
                "{'source':'s','type':'t','data':1,'occurredAt':'yesterday'}|occurredAt|with an offset",
                "{'source':'s','type':'t','data':1,'occurredAt':'2026-11-15T10:00:00'}|occurredAt|with an offset",
                "{'source':'s','type':'t','data':1,'occurredAt':'+12026-11-15T10:00:00Z'}|occurredAt|years 1 to 9999",
                "{'source':'s','type':'t','data':1,'deliverAt':1763200000}|deliverAt|must be a text",
                "{'source':'s','type':'t','data':1,'deliverAt':'2026-13-15T10:00:00Z'}|deliverAt|with an offset",
                "{'source':'s','type':'t','data':1,'headers':[]}|headers|object of texts",
                "{'source':'s','type':'t','data':1,'headers':{'x':5}}|headers.x|must be a text",
                "{'source':'s','type':'t','data':1,'headers':{'x':null}}|headers.x|must be a text",
                "{'source':'s','type':'t','data':1,'headers':{'x y':'a'}}|headers|is not a token",
                "{'source':'s','type':'t','data':1,'headers':{'x':'a\\nb'}}|headers.x|control character",
                "{'source':'s','type':'t','data':1,'contentType':'json'}|contentType|not JSON",
                "{'source':'s','type':'t','dataBase64':'','contentType':'json'}|contentType|media type",
                "{'source':'s','type':'t','data':1,'contentType':'text/plain'}|contentType|not JSON",
                "{'source':'s','type':'t','data':null}|data|must have data",
                "{'source':'s','type':'t'}|data|must have data",
                "{'source':'s','type':'t','data':1,'dataBase64':'AA=='}|dataBase64|one of them",
                "{'source':'s','type':'t','dataBase64':'A'}|dataBase64|not Base64",
                "{'source':'s','type':'t','dataBase64':'AA__'}|dataBase64|not Base64",
                "{'source':'s','type':'t','dataBase64':[1]}|dataBase64|must be a text",
                "{'source':'s','type':'t','data':1,'Key':'k'}|Key|is not a field",
                "{'source':'s','type':'t','data':1,'payload':{'a':[1]}}|payload|is not a field"
            })
    void whatBreaksARuleIsNamed(String json, String field, String rule) {
        String event = json.replace('\'', '"');
        assertRefused(publish(event), 400, null, field, rule);
        String good = "{\"source\":\"s\",\"type\":\"never\",\"data\":1}";
        assertRefused(publish("[%s, %s, %s]".formatted(good, event, good)), 400, 1, "[1]." + field, rule);
        assertThat(RecordedAtHub.all(hub)).noneMatch(recorded -> recorded.type().equals("never"));
    }

    private static void assertRefused(Answer answer, int status, Integer item, String field, String rule) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        JsonNode violation = answer.json().get("violations").get(0);
        assertThat(violation.get("field").asString()).isEqualTo(field);
        assertThat(violation.get("rule").asString()).contains(rule);
        assertThat(violation.has("item") ? violation.get("item").asInt() : null).isEqualTo(item);
    }

    @Test
    void allThatIsWrongIsToldUpToTwenty() {
        String bad = "{\"source\":\"s\",\"data\":1}";
        JsonNode few = publish("[%s, {\"source\":\"s\",\"type\":\"t\",\"data\":1}, %s, 7]".formatted(bad, bad))
                .json()
                .get("violations");
        assertThat(few.valueStream().map(each -> each.get("field").asString()))
                .containsExactly("[0].type", "[2].type", "[3]");
        JsonNode many = publish(Collections.nCopies(40, bad).toString()).json();
        assertThat(many.get("violations")).hasSize(20);
        assertThat(many.get("detail").asString()).contains("type: is missing").contains("19 more");
    }

    /** It told one of them a call: whoever leaves out three fields had to try four times. */
    @Test
    void allThatIsWrongWithOneEventIsToldAtOnce() {
        assertThat(violations("{\"typ\":\"t\",\"key\":7,\"version\":0}"))
                .containsExactly(
                        "typ: is not a field of an event; did you mean type? known are id, source, type, version,"
                                + " aggregateType, key, occurredAt, deliverAt, headers, contentType, data, dataBase64",
                        "key: must be a text",
                        "data: is missing; an event must have data",
                        "source: is missing; every event needs one",
                        "type: is missing; every event needs one",
                        "version: is 0; it must be at least 1");
        assertThat(
                        violations("[{\"headers\":{\"a b\":\"x\",\"c d\":\"y\"},\"dataBase64\":\"?\"},{\"source\":5}]")
                                .stream()
                                .map(each -> each.substring(0, each.indexOf(' '))))
                .containsExactly(
                        "[0].dataBase64:",
                        "[0].source:",
                        "[0].type:",
                        "[0].headers:",
                        "[0].headers:",
                        "[1].source:",
                        "[1].data:",
                        "[1].type:");
    }

    private List<String> violations(String body) {
        Answer answer = publish(body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        return answer.json()
                .get("violations")
                .valueStream()
                .map(each ->
                        each.get("field").asString() + ": " + each.get("rule").asString())
                .toList();
    }

    @Test
    void longIdsAreRefusedAndTheLongestIsNot() {
        String event = "{\"id\":\"%s\",\"source\":\"s\",\"type\":\"t\",\"data\":1}";
        assertThat(publish(event.formatted("i".repeat(255))).status()).isEqualTo(202);
        assertRefused(publish(event.formatted("i".repeat(256))), 400, null, "id", "limit is 255");
    }

    /** In bytes: an index, a topic and a header count nothing else. */
    @Test
    void longKeysAreRefusedAndTheLongestIsNot() {
        String event = "{\"source\":\"s\",\"type\":\"t\",\"key\":\"%s\",\"data\":1}";
        assertThat(publish(event.formatted("漢".repeat(341))).status()).isEqualTo(202);
        assertThat(publish(event.formatted("k".repeat(1024))).status()).isEqualTo(202);
        assertRefused(
                publish(event.formatted("漢".repeat(1000))),
                400,
                null,
                "key",
                "has 3000 bytes in UTF-8; the limit is 1024");
    }

    @Test
    void moreEventsThanAllowedAreTooLarge() {
        String event = "{\"source\":\"s\",\"type\":\"many\",\"data\":1}";
        assertThat(publish(Collections.nCopies(50, event).toString()).status()).isEqualTo(202);
        Answer answer = publish(Collections.nCopies(51, event).toString());
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.text()).contains("posthorn.limits.batch");
    }

    @Test
    void aPayloadOverTheLimitIsTooLarge() {
        String event = "{\"source\":\"s\",\"type\":\"big\",\"data\":\"%s\"}";
        assertThat(publish(event.formatted("x".repeat(998))).status()).isEqualTo(202);
        assertRefused(publish(event.formatted("x".repeat(999))), 413, null, "data", "posthorn.limits.payload");
        assertRefused(
                publish("[%s,%s]".formatted(event.formatted(""), event.formatted("x".repeat(999)))),
                413,
                1,
                "[1].data",
                "posthorn.limits.payload");
    }

    @Test
    void tooManyHeadersAreRefused() {
        String headers =
                IntStream.range(0, 65).mapToObj(i -> "\"h" + i + "\":\"\"").collect(Collectors.joining(","));
        assertRefused(
                publish("{\"source\":\"s\",\"type\":\"t\",\"data\":1,\"headers\":{" + headers + "}}"),
                400,
                null,
                "headers",
                "limit is 64");
    }

    @Test
    void aBodyOverTheLimitIsTooLargeWhetherItsLengthIsToldOrNot() throws IOException {
        Answer told = publish(" ".repeat(200 << 10) + "1");
        assertThat(told.status()).isEqualTo(413);
        assertThat(told.text()).contains("posthorn.limits.body");
        String chunk = " ".repeat(4096);
        String untold = chunked("1000\r\n" + chunk + "\r\n", 51);
        assertThat(untold).startsWith("HTTP/1.1 413").contains("posthorn.limits.body");
    }

    @Test
    void aBodyInChunksIsRead() throws IOException {
        String event = "{\"id\":\"chunked\",\"source\":\"s\",\"type\":\"t\",\"data\":1}";
        String chunks = event.chars().mapToObj(c -> "1\r\n" + (char) c + "\r\n").collect(Collectors.joining());
        assertThat(chunked(chunks, 1)).startsWith("HTTP/1.1 202");
        assertThat(RecordedAtHub.byId(hub, "chunked").type()).isEqualTo("t");
    }

    @Test
    void brokenChunksAreRefused() throws IOException {
        assertThat(chunked("zz\r\n{}\r\n", 1)).startsWith("HTTP/1.1 400").doesNotContain("at org.");
    }

    private static String chunked(String chunks, int times) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), hub.httpPort())) {
            String head = """
                    POST /v1/events HTTP/1.1
                    Host: localhost
                    Connection: close
                    Content-Type: application/json
                    Transfer-Encoding: chunked

                    """.replace("\n", "\r\n");
            socket.getOutputStream().write((head + chunks.repeat(times) + "0\r\n\r\n").getBytes(ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "text/plain, 415",
        "application/xml, 415",
        "application/x-www-form-urlencoded, 415",
        "multipart/form-data; boundary=x, 415",
        "application/cloudevents+avro, 415",
        "application/json; charset=utf-16, 415",
        "nonsense, 415",
        "application/json, 202",
        "Application/JSON;charset=UTF-8, 202",
        "'application/json; charset=\"utf-8\"', 202"
    })
    void contentTypesAreToldApart(String contentType, int status) {
        byte[] event = "{\"source\":\"s\",\"type\":\"t\",\"data\":1}".getBytes(UTF_8);
        Answer answer = hub.rest().with("Content-Type", contentType).call("POST", "/v1/events", event);
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        if (status == 415) {
            assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(answer.text()).contains("application/cloudevents+json");
        }
    }

    @Test
    void withoutAContentTypeItIsJson() {
        byte[] event = "{\"source\":\"s\",\"type\":\"t\",\"data\":1}".getBytes(UTF_8);
        assertThat(hub.rest().call("POST", "/v1/events", event).status()).isEqualTo(202);
    }

    @Test
    void theTraceOfTheRequestIsThatOfItsEventsUnlessTheyHaveTheirOwn() {
        String own = TRACE.replace("b7ad", "c8be");
        Answer answer = hub.rest()
                .with("traceparent", TRACE)
                .with("tracestate", "a=1")
                .with("tracestate", "b=2")
                .post("/v1/events", """
                        [{"source": "s", "type": "t", "data": 1, "headers": {"x": "y"}},
                         {"source": "s", "type": "t", "data": 1, "headers": {"Traceparent": "%s", "x": "y"}},
                         {"source": "s", "type": "t", "data": 1}]""".formatted(own));
        assertThat(headers(answer, 0)).isEqualTo(Map.of("x", "y", "traceparent", TRACE, "tracestate", "a=1,b=2"));
        assertThat(headers(answer, 1)).isEqualTo(Map.of("Traceparent", own, "x", "y"));
        assertThat(headers(answer, 2)).isEqualTo(Map.of("traceparent", TRACE, "tracestate", "a=1,b=2"));
    }

    @Test
    void aTraceThatIsNotValidIsLeftOut() {
        Answer answer = hub.rest()
                .with("traceparent", "00-nonsense")
                .with("tracestate", "a=1")
                .post("/v1/events", "[{\"source\":\"s\",\"type\":\"t\",\"data\":1}]");
        assertThat(headers(answer, 0)).isEmpty();
    }

    private static Map<String, String> headers(Answer answer, int item) {
        return RecordedAtHub.byId(hub, answer.json().get(item).get("id").asString())
                .headers();
    }
}
