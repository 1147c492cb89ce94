package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import dev.posthorn.event.Event;
import dev.posthorn.event.Marks;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.http.text.Json;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Request;
import java.net.http.HttpHeaders;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a receiver gets. */
class HttpSinkRequestsTest {

    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    private final Receiver receiver = Receiver.start();

    @AfterEach
    void stop() {
        receiver.close();
    }

    private Request sent(HttpSink.Builder sink, Event event) {
        assertThat(Sends.one(sink.build(), event)).isInstanceOf(Outcome.Delivered.class);
        return receiver.requests().get(receiver.requests().size() - 1);
    }

    private HttpSink.Builder sink() {
        return Sends.sink(receiver.url("/hook") + "?tenant=7");
    }

    private static Event full() {
        return Sends.event()
                .id("4711")
                .version(3)
                .aggregateType("order")
                .key("bücher %\"1")
                .traceparent(TRACE)
                .header("tracestate", "a=b")
                .header("tenant", "Köln 1")
                .occurredAt(Instant.parse("2026-11-14T09:08:07.123456Z"))
                .build();
    }

    /** {@code baggage} arrived as {@code Am%25C3%25A9lie}: encoded twice, and with another meaning. */
    @Test
    void headersOfTheEventGoOutByteForByteWhereHttpAllowsIt() {
        String visible = IntStream.rangeClosed(' ', '~')
                .mapToObj(Character::toString)
                .collect(Collectors.joining())
                .strip();
        Event event = Sends.event()
                .header("baggage", "userId=Am%C3%A9lie,isProduction=false")
                .header("tracestate", "vendor=50%25%zz+1")
                .header("visible", visible)
                .header("mixed", " Köln 100%25 ")
                .build();
        for (Form form : Form.values()) {
            assertThat(sent(sink().form(form), event).headers())
                    .containsEntry("baggage", "userId=Am%C3%A9lie,isProduction=false")
                    .containsEntry("tracestate", "vendor=50%25%zz+1")
                    .containsEntry("visible", visible)
                    .containsEntry("mixed", "K%C3%B6ln 100%2525");
        }
    }

    /** A byte order mark, or every second byte a zero, stood in the middle of the document. */
    @Test
    void theStructuredFormIsJsonWhateverEncodingThePayloadHas() {
        String payload = "{\"name\":\"Amélie\",\"n\":1.50}";
        for (byte[] bytes : List.of(
                payload.getBytes(UTF_8),
                ("\uFEFF" + payload).getBytes(UTF_8),
                payload.getBytes(UTF_16BE),
                payload.getBytes(UTF_16LE),
                ("\uFEFF" + payload).getBytes(UTF_16BE),
                ("\uFEFF" + payload).getBytes(UTF_16LE))) {
            Event event = Sends.event().payload(bytes).contentType(Event.JSON).build();
            assertThat(sent(sink().form(Form.STRUCTURED), event).text()).contains("\"data\":" + payload);
        }
    }

    @Test
    void theBinaryFormHasThePayloadAsItIsAndTheRestInHeaders() {
        Event event = full();
        Request got = sent(sink(), event);
        assertThat(got.method()).isEqualTo("POST");
        assertThat(got.uri()).hasToString("/hook?tenant=7");
        assertThat(got.text()).isEqualTo("{\"n\": 1}");
        assertThat(got.headers())
                .containsEntry("content-type", "application/json")
                .containsEntry("content-length", "8")
                .containsEntry("ce-specversion", "1.0")
                .containsEntry("ce-id", "4711")
                .containsEntry("ce-posthornid", event.id().toString())
                .containsEntry("ce-type", "order.placed")
                .containsEntry("ce-source", "shop")
                .containsEntry("ce-time", "2026-11-14T09:08:07.123456Z")
                .containsEntry("ce-eventversion", "3")
                .containsEntry("ce-aggregatetype", "order")
                .containsEntry("ce-subject", "b%C3%BCcher%20%25%221")
                .containsEntry("ce-partitionkey", "b%C3%BCcher%20%25%221")
                .containsEntry("traceparent", TRACE)
                .containsEntry("tracestate", "a=b")
                .containsEntry("tenant", "K%C3%B6ln 1")
                .containsEntry("posthorn-attempt", "1")
                .containsEntry("webhook-id", event.id().toString())
                .containsEntry("user-agent", "Posthorn")
                .doesNotContainKeys("webhook-signature", "authorization", "cookie", "expect", "accept-encoding");
    }

    @Test
    void whatAnEventDoesNotHaveIsNotSent() {
        Event event = Event.builder()
                .source("s")
                .type("t")
                .contentType("text/x-odd; charset=nobody-knows")
                .payload(new byte[0])
                .build();
        Request got = sent(sink(), event);
        assertThat(got.body()).isEmpty();
        assertThat(got.headers())
                .containsEntry("ce-id", event.id().toString())
                .containsEntry("content-length", "0")
                .containsEntry("content-type", "text/x-odd; charset=nobody-knows")
                .containsEntry("ce-time", "2026-11-15T10:00:00Z")
                .doesNotContainKeys(
                        "ce-subject", "ce-partitionkey", "ce-aggregatetype", "ce-posthornid", "traceparent");
    }

    @Test
    void theStructuredFormIsOneJsonDocument() {
        Request got = sent(sink().form(Form.STRUCTURED), full());
        assertThat(got.header("content-type")).isEqualTo("application/cloudevents+json; charset=utf-8");
        assertThat(got.headers()).doesNotContainKeys("ce-id", "ce-type").containsEntry("traceparent", TRACE);
        assertThat(got.text())
                .isEqualTo(("{'specversion':'1.0','id':'4711','type':'order.placed','source':'shop',"
                                + "'time':'2026-11-14T09:08:07.123456Z','eventversion':'3','subject':'bücher %%\\'1',"
                                + "'partitionkey':'bücher %%\\'1','aggregatetype':'order','posthornid':'%s',"
                                + "'traceparent':'%s','tracestate':'a=b','datacontenttype':'application/json',"
                                + "'data':{'n': 1}}")
                        .formatted(full().id(), TRACE)
                        .replace('\'', '"'));
    }

    @Test
    void aPayloadThatIsNotJsonStandsInTheDocumentAsBase64() {
        byte[] bytes = {0, 1, (byte) 0xFF};
        Event event = Event.builder().source("s").type("t").payload(bytes).build();
        Request got = sent(sink().form(Form.STRUCTURED), event);
        assertThat(Json.members(got.body()))
                .containsEntry("data_base64", "AAH/")
                .doesNotContainKey("data");
    }

    @Test
    void aPayloadThatOnlySaysItIsJsonIsRejectedAndNotSent() {
        Event event = Sends.event().json("{\"n\": 1").build();
        Outcome outcome = Sends.one(sink().form(Form.STRUCTURED).build(), event);
        assertThat(outcome).isInstanceOfSatisfying(Outcome.Reject.class, reject -> {
            assertThat(reject.errorClass()).isEqualTo(ErrorClass.SERIALIZATION);
            assertThat(reject.reason()).contains("application/json", "not JSON");
        });
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void thePlainFormIsThePayloadAlone() {
        Request got = sent(sink().form(Form.PLAIN), full());
        assertThat(got.text()).isEqualTo("{\"n\": 1}");
        assertThat(got.headers())
                .containsEntry("content-type", "application/json")
                .containsKeys("webhook-id", "webhook-timestamp", "posthorn-attempt")
                .doesNotContainKeys("ce-id", "ce-type", "ce-specversion");
    }

    @Test
    void anEventsOwnHeadersNeverPassForOthers() {
        Event event = Sends.event()
                .header("Authorization", "Bearer stolen")
                .header("Host", "elsewhere")
                .header("Content-Length", "3")
                .header("Transfer-Encoding", "chunked")
                .header("Cookie", "session=1")
                .header("X-Forwarded-For", "10.0.0.1")
                .header("ce-type", "other")
                .header("webhook-id", "other")
                .header("X-Static", "the event's")
                .build();
        Request got = sent(sink().header("X-Static", "the subscription's"), event);
        assertThat(got.headers())
                .containsEntry("ce-type", "order.placed")
                .containsEntry("webhook-id", event.id().toString())
                .containsEntry("posthorn-attempt", "1")
                .containsEntry("x-static", "the subscription's")
                .containsEntry("content-length", "8")
                .containsEntry("host", "127.0.0.1:" + receiver.port())
                .doesNotContainKeys("authorization", "cookie", "transfer-encoding", "x-forwarded-for");
    }

    @Test
    void aReceiverCanTellWhatIsASampleAndWhatIsSentAgain() {
        Event forged = Sends.event()
                .build()
                .withHeaders(Map.of("Posthorn-Test", "false", "POSTHORN-REPLAY", "8", "posthorn-attempt", "99"));
        RecordedEvent marked = Sends.recorded(forged).marked(Marks.TEST, "true").marked(Marks.REPLAY, "7");
        assertThat(Sends.one(sink().build(), marked)).isInstanceOf(Outcome.Delivered.class);
        assertThat(receiver.requests().get(0).headers())
                .containsEntry("posthorn-test", "true")
                .containsEntry("posthorn-replay", "7")
                .containsEntry("posthorn-attempt", "1");
        assertThat(sent(sink(), forged).headers())
                .doesNotContainKeys("posthorn-test", "posthorn-replay")
                .containsEntry("posthorn-attempt", "1");
    }

    @Test
    void theIdStaysTheSameOnEveryAttemptAndTheAttemptIsCounted() {
        Event event = Sends.event().build();
        try (Channel channel = sink().signedWith(HttpSink.newSecret()).build().open("t/0", Sends.TIMEOUT)) {
            Sends.through(channel, event, 1);
            Sends.through(channel, event, 2);
        }
        assertThat(receiver.requests())
                .extracting(got -> got.header("posthorn-attempt") + got.header("webhook-id"))
                .containsExactly("1" + event.id(), "2" + event.id());
    }

    @Test
    void theSignatureIsValidForTheOldAndTheNewSecretAndForNothingElse() throws Exception {
        String old = HttpSink.newSecret();
        String fresh = HttpSink.newSecret();
        for (Form form : Form.values()) {
            Request got = sent(sink().form(form).signedWith(fresh, old), full());
            new Webhook(old).verify(got.text(), headers(got));
            new Webhook(fresh).verify(got.text(), headers(got));
            refused(() -> new Webhook(HttpSink.newSecret()).verify(got.text(), headers(got)));
            refused(() -> new Webhook(fresh).verify(got.text() + " ", headers(got)));
        }
        Request late = sent(
                sink().signedWith(fresh).clock(InstantSource.fixed(Instant.now().minusSeconds(600))), full());
        refused(() -> new Webhook(fresh).verify(late.text(), headers(late)));
    }

    private static void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable verify) {
        assertThatThrownBy(verify).isInstanceOf(WebhookVerificationException.class);
    }

    private static HttpHeaders headers(Request got) {
        Map<String, List<String>> all = new TreeMap<>();
        got.headers().forEach((name, value) -> all.put(name, List.of(value)));
        return HttpHeaders.of(all, (name, value) -> true);
    }
}
