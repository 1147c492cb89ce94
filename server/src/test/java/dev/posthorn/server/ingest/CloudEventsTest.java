package dev.posthorn.server.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.posthorn.event.Event;
import dev.posthorn.event.EventIds;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.http.Destinations;
import dev.posthorn.http.Form;
import dev.posthorn.http.HttpSink;
import dev.posthorn.server.RecordedAtHub;
import dev.posthorn.server.SharedHub;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testkit.Receiver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

@ExtendWith(SharedHub.class)
class CloudEventsTest {

    private static final String STRUCTURED = "application/cloudevents+json";
    private static final String BATCH = "application/cloudevents-batch+json";

    private static TestHub hub;

    @BeforeAll
    static void start(TestHub shared) {
        hub = shared;
    }

    private static Answer post(String contentType, String body) {
        return hub.rest().with("Content-Type", contentType).call("POST", "/v1/events", body.getBytes(UTF_8));
    }

    private static TestClient binary(String id) {
        return hub.rest()
                .with("ce-specversion", "1.0")
                .with("ce-id", id)
                .with("ce-source", "/shop")
                .with("ce-type", "order.placed");
    }

    @Test
    void theBinaryFormTakesTheBodyAsItIs() {
        byte[] body = {0, 1, (byte) 0xff, '{'};
        Answer answer = binary("b-1")
                .with("Ce-Time", "2026-11-15T10:00:00+02:00")
                .with("ce-subject", "o-1%20%C3%A9")
                .with("ce-tenant", "\"a \\\"b\\\"\"")
                .with("x-other", "not the event's")
                .with("Content-Type", "image/png; q=1")
                .call("POST", "/v1/events", body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(202);
        assertThat(answer.text()).isEqualTo("{\"id\":\"b-1\",\"duplicate\":false}");
        Event event = RecordedAtHub.byId(hub, "b-1");
        assertThat(event.payload()).isEqualTo(body);
        assertThat(event.contentType()).isEqualTo("image/png; q=1");
        assertThat(event.occurredAt()).isEqualTo(Instant.parse("2026-11-15T08:00:00Z"));
        assertThat(event.key()).isEqualTo("o-1 é");
        assertThat(event.headers()).isEqualTo(Map.of("tenant", "a \"b\""));
    }

    /** Some servers read forms themselves, before anybody else can. */
    @ParameterizedTest
    @CsvSource({"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"})
    void theBinaryFormTakesAnyContent(String contentType) {
        String id = "any-" + contentType.hashCode();
        assertThat(binary(id)
                        .with("Content-Type", contentType)
                        .call("POST", "/v1/events", "a=b&c=d".getBytes(UTF_8))
                        .status())
                .isEqualTo(202);
        assertThat(RecordedAtHub.byId(hub, id).payload()).isEqualTo("a=b&c=d".getBytes(UTF_8));
    }

    @Test
    void theStructuredFormTakesJsonAsItWasSent() {
        Answer answer = post(STRUCTURED + "; charset=utf-8", """
                {"specversion": "1.0", "id": "s-1", "source": "/shop", "type": "order.placed", "subject": "o-1",
                 "partitionkey": "p-1", "dataschema": "https://example.com/s", "count": 5, "flag": true, "none": null,
                 "data": {"n":  1.0e3}}""");
        assertThat(answer.status()).as(answer.text()).isEqualTo(202);
        Event event = RecordedAtHub.byId(hub, "s-1");
        assertThat(event.payload()).isEqualTo("{\"n\":  1.0e3}".getBytes(UTF_8));
        assertThat(event.contentType()).isEqualTo("application/json");
        assertThat(event.key()).isEqualTo("p-1");
        assertThat(event.headers())
                .isEqualTo(
                        Map.of("subject", "o-1", "dataschema", "https://example.com/s", "count", "5", "flag", "true"));
    }

    @Test
    void theStructuredFormTakesTextsAndBytes() {
        String event = "{\"specversion\":\"1.0\",\"id\":\"%s\",\"source\":\"s\",\"type\":\"t\",%s}";
        post(STRUCTURED, event.formatted("s-text", "\"data\":\"<a>\\u00e9</a>\",\"datacontenttype\":\"text/xml\""));
        assertThat(RecordedAtHub.byId(hub, "s-text").payload()).isEqualTo("<a>é</a>".getBytes(UTF_8));
        post(STRUCTURED, event.formatted("s-bytes", "\"data_base64\":\"AP8=\""));
        assertThat(RecordedAtHub.byId(hub, "s-bytes").payload()).isEqualTo(new byte[] {0, (byte) 0xff});
    }

    @Test
    void aBatchIsAnsweredWithAnArray() {
        String event = "{\"specversion\":\"1.0\",\"id\":\"%s\",\"source\":\"s\",\"type\":\"t\",\"data\":1}";
        Answer answer = post(BATCH, "[" + event.formatted("batch-1") + "," + event.formatted("batch-2") + "]");
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.json().valueStream().map(each -> each.get("id").asString()))
                .containsExactly("batch-1", "batch-2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'id':'i','source':'s','type':'t','data':1|specversion|is missing",
                "'specversion':'0.3','id':'i','source':'s','type':'t','data':1|specversion|is not 1.0",
                "'specversion':'1.0','source':'s','type':'t','data':1|id|is missing",
                "'specversion':'1.0','id':'i','type':'t','data':1|source|is missing",
                "'specversion':'1.0','id':'i','source':'s','data':1|type|is missing",
                "'specversion':'1.0','id':'i','source':'s','type':'t'|data|must have data",
                "'specversion':'1.0','id':'i','source':'s','type':'t','data':null|data|must have data",
                "'specversion':'1.0','id':'i','source':'s','type':'t','data':1,'data_base64':'AA=='|data_base64|one of them",
                "'specversion':'1.0','id':'i','source':'s','type':'t','data':1,'datacontenttype':'text/xml'|data|must be a text",
                "'specversion':'1.0','id':'i','source':'s','type':'t','data':1,'datacontenttype':'a/json/'|data|must be a text",
                "'specversion':'1.0','id':'i','source':'s','type':'t','data':1,'time':'noon'|time|with an offset",
                "'specversion':'1.0','id':'i','source':'s','type':'t','data':1,'eventversion':'x'|eventversion|whole number",
                "'specversion':'1.0','id':'i','source':'s','type':'t','data':1,'eventversion':0|eventversion|at least 1",
                "'specversion':'1.0','id':'i','source':'s','type':'t','data':1,'aggregatetype':'a b'|aggregatetype|visible",
                "'specversion':'1.0','id':'i','source':'s','type':'t','data':1,'Tenant':'a'|Tenant|lower-case",
                "'specversion':'1.0','id':'i','source':'s','type':'t','data':1,'tenant':{'a':1}|tenant|must be a text",
                "'specversion':'1.0','id':'i','source':'s','type':'t','data':1,'tenant':'\\ud800'|tenant|surrogate",
                "'specversion':'1.0','id':'i','source':'s','type':'t','data':1,'tenant':'\\n'|tenant|control"
            })
    void whatBreaksARuleIsNamed(String fields, String field, String rule) {
        String event = "{" + fields.replace('\'', '"') + "}";
        assertRefused(post(STRUCTURED, event), field, rule);
        assertRefused(post(BATCH, "[" + event + "]"), "[0]." + field, rule);
    }

    private static void assertRefused(Answer answer, String field, String rule) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        JsonNode violation = answer.json().get("violations").get(0);
        assertThat(violation.get("field").asString()).isEqualTo(field);
        assertThat(violation.get("rule").asString()).contains(rule);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "ce-specversion|0.3|ce-specversion|more than once",
                "ce-id|again|ce-id|more than once",
                "ce-time|noon|ce-time|with an offset",
                "ce-eventversion|0|ce-eventversion|at least 1",
                "ce-tenant|100%|ce-tenant|percent-encoded",
                "ce-tenant|%zz|ce-tenant|percent-encoded",
                "ce-tenant|%ff|ce-tenant|percent-encoded",
                "ce-tenant|a%00|ce-tenant|control",
                "ce-tenant|a%0Ax-forged: 1|ce-tenant|control",
                "ce-aggregatetype|a%20b|ce-aggregatetype|visible",
                "ce-datacontenttype|text/plain|ce-datacontenttype|Content-Type",
                "ce-my-tenant|a|ce-my-tenant|letters and digits",
                "content-type|nonsense|content-type|media type"
            })
    void aBadHeaderIsNamed(String header, String value, String field, String rule) {
        assertRefused(binary("never").with(header, value).call("POST", "/v1/events", new byte[] {1}), field, rule);
    }

    @Test
    void otherVersionsAndEmptyBodiesAreRefusedInTheBinaryForm() {
        Answer old = hub.rest()
                .with("ce-specversion", "0.3")
                .with("ce-id", "i")
                .with("ce-source", "s")
                .with("ce-type", "t")
                .call("POST", "/v1/events", new byte[] {1});
        assertRefused(old, "ce-specversion", "is not 1.0");
        assertRefused(binary("never").call("POST", "/v1/events", new byte[0]), "data", "must have data");
    }

    @ParameterizedTest
    @CsvSource({STRUCTURED + ",[]", BATCH + ",{}", BATCH + ",[]", STRUCTURED + ",''"})
    void theShapeMustBeThatOfTheForm(String contentType, String body) {
        assertThat(post(contentType, body).status()).isEqualTo(400);
    }

    static Stream<Arguments> sent() {
        return Stream.of(Form.BINARY, Form.STRUCTURED)
                .flatMap(form -> events(form).map(event -> arguments(form, event.build())));
    }

    private static Stream<Event.Builder> events(Form form) {
        return Stream.of(
                event(form),
                event(form).id(EventIds.next().toString()),
                event(form).id("order 7/é😀\"%").key("k é%\"😀").version(4).aggregateType("order"),
                event(form).contentType("application/x-protobuf").payload(new byte[] {0, (byte) 0xff, 10, 13}),
                event(form).contentType("text/plain; charset=utf-8").payload("é".getBytes(UTF_8)),
                event(form).contentType("application/vnd.shop+json"),
                event(form)
                        .traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                        .header("tracestate", "a=1"));
    }

    private static Event.Builder event(Form form) {
        return Event.builder()
                .source("shop-" + form)
                .type("order.placed")
                .occurredAt(Instant.parse("2026-11-15T10:00:00.123456Z"))
                .json("{\"n\":  1.0e3, \"s\": \"é\\ud800\"}");
    }

    @ParameterizedTest
    @MethodSource("sent")
    void whatOneHubSendsAnotherTakes(Form form, Event original) throws Exception {
        try (Forwarder forwarder = new Forwarder(hub.rest())) {
            assertThat(forwarder.send(form, original)).isInstanceOf(Outcome.Delivered.class);
            assertThat(forwarder.send(form, original)).as("once more").isInstanceOf(Outcome.Delivered.class);
        }
        assertSame(RecordedAtHub.byId(hub, original.id().toString()), original);
    }

    @Test
    void anEventThatAHubForwardsToAnotherKeepsItsIdAndSourceAndIsOneEventThere() {
        try (TestHub first = TestHub.start()) {
            for (String form : List.of("binary", "structured")) {
                TestClient.Answer put =
                        first.rest().put("/v1/subscriptions/on-" + form, """
                        {"sink": {"kind": "http", "url": "http://127.0.0.1:%d/v1/events", "form": "%s"}}
                        """.formatted(hub.httpPort(), form));
                assertThat(put.status()).as(put.text()).isEqualTo(201);
            }
            TestClient publishing = first.rest()
                    .with("ce-specversion", "1.0")
                    .with("ce-id", "f-1")
                    .with("ce-source", "/real/clients")
                    .with("ce-type", "client.moved");
            assertThat(publishing.call("POST", "/v1/events", new byte[] {1}).status())
                    .isEqualTo(202);
            UUID id = RecordedAtHub.byId(first, "f-1").id();

            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(first.rest()
                                    .get("/v1/events/f-1")
                                    .json()
                                    .path("status")
                                    .asString())
                            .isEqualTo("DELIVERED"));
            Event arrived = RecordedAtHub.byId(hub, "f-1");
            assertThat(arrived.id()).isEqualTo(id);
            assertThat(arrived.source()).isEqualTo("/real/clients");
            assertThat(arrived.headers()).isEmpty();
        }
    }

    /** The second one met the first in a conflict, so whoever was quicker could keep the other from publishing. */
    @Test
    void twoSourcesWithOneUuidAreTwoEvents() {
        String id = EventIds.next().toString();
        String event = "{\"specversion\":\"1.0\",\"id\":\"%s\",\"source\":\"%s\",\"type\":\"t\",\"data\":%d}";
        assertAnswer(202, false, id, post(STRUCTURED, event.formatted(id, "/a", 1)));
        assertAnswer(202, false, id, post(STRUCTURED, event.formatted(id, "/b", 1)));
        assertAnswer(200, true, id, post(STRUCTURED, event.formatted(id, "/b", 1)));
        assertThat(post(STRUCTURED, event.formatted(id, "/b", 2)).status()).isEqualTo(409);

        List<Event> recorded = RecordedAtHub.all(hub).stream()
                .filter(each -> each.givenId().equals(id))
                .toList();
        assertThat(recorded).extracting(Event::source).containsExactly("/a", "/b");
        assertThat(recorded).extracting(Event::id).doesNotHaveDuplicates();
        for (String source : List.of("/a", "/b")) {
            assertThat(hub.rest()
                            .get("/v1/events/" + id + "?source=" + source)
                            .json()
                            .get("source")
                            .asString())
                    .isEqualTo(source);
        }
    }

    @Test
    void noSourceCanUseUpAnIdOfAnother() {
        String event = "{\"specversion\":\"1.0\",\"id\":\"%s\",\"source\":\"%s\",\"type\":\"t\",\"data\":1}";
        String others = EventIds.named("/b", "mine").toString();
        assertAnswer(202, false, others, post(STRUCTURED, event.formatted(others, "/a")));
        assertAnswer(202, false, "mine", post(STRUCTURED, event.formatted("mine", "/b")));
        assertThat(hub.rest().get("/v1/events/" + others).json().get("source").asString())
                .as("what is asked for is what the hub calls so")
                .isEqualTo("/b");
        assertThat(hub.rest()
                        .get("/v1/events/" + others + "?source=/a")
                        .json()
                        .get("sourceId")
                        .asString())
                .isEqualTo(others);
    }

    private static void assertAnswer(int status, boolean duplicate, String id, Answer answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.text()).isEqualTo("{\"id\":\"%s\",\"duplicate\":%s}".formatted(id, duplicate));
    }

    @Test
    void aPayloadThatIsAnEventCanBeSentPlain() throws Exception {
        Event original = event(Form.PLAIN)
                .json("{\"id\": \"plain-1\", \"source\": \"s\", \"type\": \"t\", \"data\":  7}")
                .build();
        try (Forwarder forwarder = new Forwarder(hub.rest())) {
            assertThat(forwarder.send(Form.PLAIN, original)).isInstanceOf(Outcome.Delivered.class);
        }
        assertThat(RecordedAtHub.byId(hub, "plain-1").payload()).isEqualTo("7".getBytes(UTF_8));
    }

    private static void assertSame(Event taken, Event original) {
        assertThat(taken.id()).isEqualTo(original.id());
        assertThat(taken.sourceId()).isEqualTo(original.sourceId());
        assertThat(taken.source()).isEqualTo(original.source());
        assertThat(taken.type()).isEqualTo(original.type());
        assertThat(taken.version()).isEqualTo(original.version());
        assertThat(taken.aggregateType()).isEqualTo(original.aggregateType());
        assertThat(taken.key()).isEqualTo(original.key());
        assertThat(taken.contentType()).isEqualTo(original.contentType());
        assertThat(taken.payload()).isEqualTo(original.payload());
        assertThat(taken.headers()).isEqualTo(original.headers());
        assertThat(taken.occurredAt()).isEqualTo(original.occurredAt());
    }

    /** Takes what a sink sends and gives it to a hub as it is. */
    private static final class Forwarder implements AutoCloseable {

        private static final Set<String> OF_THE_CONNECTION = Set.of("host", "connection", "content-length", "upgrade");

        private final Receiver receiver = Receiver.start();

        Forwarder(TestClient hub) {
            receiver.answering(came -> {
                TestClient[] request = {hub};
                came.headers().forEach((name, value) -> {
                    if (!OF_THE_CONNECTION.contains(name)) {
                        request[0] = request[0].with(name, value);
                    }
                });
                Answer answer = request[0].call("POST", "/v1/events", came.body());
                return Receiver.Answer.of(answer.status(), answer.text());
            });
        }

        Outcome send(Form form, Event event) throws Exception {
            HttpSink sink = HttpSink.builder(receiver.url("/"))
                    .form(form)
                    .destinations(Destinations.builder().allowLoopback().build())
                    .build();
            CompletableFuture<Outcome> outcome = new CompletableFuture<>();
            try (Channel channel = sink.open("test/0", Duration.ofSeconds(30))) {
                channel.send(new RecordedEvent(1, event, Instant.EPOCH), 1, outcome::complete);
                channel.flush();
                return outcome.get(60, TimeUnit.SECONDS);
            }
        }

        @Override
        public void close() {
            receiver.close();
        }
    }
}
