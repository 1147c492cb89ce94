package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.exceptions.WebhookVerificationException;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.event.EventIds;
import dev.posthorn.event.Marks;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.http.text.Json;
import dev.posthorn.inbox.Effect;
import dev.posthorn.inbox.Transactions;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testkit.FreshDatabase;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Receiver.Answer;
import dev.posthorn.webhook.Reception;
import dev.posthorn.webhook.Reception.Kind;
import dev.posthorn.webhook.Signature;
import dev.posthorn.webhook.Webhook;
import dev.posthorn.webhook.WebhookReceiver;
import dev.posthorn.webhook.Work;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What our sink sends, through a real HTTP server, to our receiver; and to the Standard Webhooks project's own library. */
class WebhookReceiverTest {

    private static final String OLD = Signature.newSecret();
    private static final String NEW = Signature.newSecret();
    private static final String FOREIGN = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    private static final byte[] BODY = "{\"price\": \"10 \u20ac\"}".getBytes(UTF_8);
    private static final AtomicInteger CONSUMERS = new AtomicInteger();

    private static final FreshDatabase DATABASE = FreshDatabase.create();

    private final String consumer = "billing-" + CONSUMERS.incrementAndGet();
    private final SettableClock clock = SettableClock.at(Instant.now());
    private final List<Webhook> worked = new CopyOnWriteArrayList<>();
    private final Work book = (connection, webhook) -> {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO booking VALUES ('" + consumer + "')");
        }
        worked.add(webhook);
    };
    private final Receiver http = Receiver.start();

    @BeforeAll
    static void start() {
        new Schema(SchemaName.DEFAULT).install(DATABASE.dataSource());
        DATABASE.execute("CREATE TABLE booking (consumer text NOT NULL)");
    }

    @AfterEach
    void close() {
        http.close();
    }

    private WebhookReceiver.Builder receiver(String... secrets) {
        return WebhookReceiver.builder(DATABASE.dataSource(), consumer)
                .secrets(secrets)
                .clock(clock);
    }

    private HttpSink.Builder sink(String... secrets) {
        return Sends.sink(http.url("/hook")).signedWith(secrets).clock(clock);
    }

    /** The server answers what the receiver says. */
    private List<Reception> serve(WebhookReceiver receiver, Work work) {
        List<Reception> receptions = new CopyOnWriteArrayList<>();
        http.answering(got -> {
            Reception reception = receiver.receive(got::header, got.body(), work);
            receptions.add(reception);
            Duration retryAfter = reception.retryAfter();
            return new Answer(
                    reception.status(),
                    retryAfter == null ? Map.of() : Map.of("Retry-After", Long.toString(retryAfter.toSeconds())),
                    reception.text());
        });
        return receptions;
    }

    private long bookings() {
        return DATABASE.number("SELECT count(*) FROM booking WHERE consumer = '" + consumer + "'");
    }

    /** A request that was signed by whoever knows the secrets. */
    private Map<String, String> signed(String id, byte[] body, String... secrets) {
        long now = clock.instant().getEpochSecond();
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.put("webhook-id", id);
        headers.put("webhook-timestamp", Long.toString(now));
        headers.put("webhook-signature", Signature.of(List.of(secrets)).of(id, now, body));
        return headers;
    }

    private Kind receive(WebhookReceiver receiver, Map<String, String> headers, byte[] body) {
        return receiver.receive(headers::get, body, book).kind();
    }

    @Test
    void whatTheSinkSendsIsVerifiedAndWorkedOnWithAllThatTheEventSays() throws SQLException {
        Event event = Sends.event()
                .key("Zürich 100%+1")
                .aggregateType("order")
                .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .header("tracestate", "shop=1")
                .build();
        List<Reception> receptions = serve(receiver(NEW).build(), book);

        assertThat(Sends.one(sink(NEW).build(), event)).isInstanceOf(Outcome.Delivered.class);

        assertThat(receptions).extracting(Reception::kind).containsExactly(Kind.PROCESSED);
        assertThat(bookings()).isEqualTo(1);
        Webhook webhook = worked.get(0);
        assertThat(webhook.eventId()).isEqualTo(event.id());
        assertThat(webhook.id()).isEqualTo(event.id().toString());
        assertThat(webhook.sentAt().getEpochSecond()).isEqualTo(clock.instant().getEpochSecond());
        assertThat(webhook.type()).isEqualTo("order.placed");
        assertThat(webhook.source()).isEqualTo("shop");
        assertThat(webhook.key()).isEqualTo("Zürich 100%+1");
        assertThat(webhook.attribute("aggregatetype")).isEqualTo("order");
        assertThat(webhook.attribute("nothing")).isNull();
        assertThat(webhook.contentType()).isEqualTo("application/json");
        assertThat(webhook.traceparent()).startsWith("00-0af7651916cd43dd");
        assertThat(webhook.tracestate()).isEqualTo("shop=1");
        assertThat(webhook.header("posthorn-attempt")).isEqualTo("1");
        assertThat(webhook.text()).isEqualTo("{\"n\": 1}");
    }

    @Test
    void aDeliveryThatComesAgainHasNoSecondEffectAndIsAnsweredAsIfItWereTheFirst() throws SQLException {
        List<Reception> receptions = serve(receiver(NEW).build(), book);
        Event event = Sends.event().build();

        assertThat(Sends.one(sink(NEW).build(), event)).isInstanceOf(Outcome.Delivered.class);
        clock.advance(Duration.ofHours(1));
        assertThat(Sends.one(sink(NEW).build(), event)).isInstanceOf(Outcome.Delivered.class);

        assertThat(receptions).extracting(Reception::kind).containsExactly(Kind.PROCESSED, Kind.DUPLICATE);
        assertThat(bookings()).isEqualTo(1);
    }

    @Test
    void oneRequestThatComesTenTimesAtOnceHasOneEffect() throws Exception {
        WebhookReceiver receiver = receiver(NEW).build();
        Map<String, String> headers = signed(FOREIGN, BODY, NEW);
        ExecutorService threads = Executors.newFixedThreadPool(10);
        try {
            Callable<Kind> call = () -> receive(receiver, headers, BODY);
            List<Future<Kind>> kinds =
                    threads.invokeAll(Stream.generate(() -> call).limit(10).toList());
            Map<Kind, Long> counts = kinds.stream()
                    .map(WebhookReceiverTest::result)
                    .collect(Collectors.groupingBy(kind -> kind, Collectors.counting()));
            assertThat(counts).isEqualTo(Map.of(Kind.PROCESSED, 1L, Kind.DUPLICATE, 9L));
        } finally {
            threads.shutdownNow();
        }
        assertThat(bookings()).isEqualTo(1);
    }

    private static Kind result(Future<Kind> future) {
        try {
            return future.get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void workThatFailsIsRolledBackAndTheSenderTriesAgain() throws SQLException {
        AtomicInteger calls = new AtomicInteger();
        List<Reception> receptions =
                serve(receiver(NEW).retryAfter(Duration.ofSeconds(7)).build(), (connection, webhook) -> {
                    book.run(connection, webhook);
                    if (calls.incrementAndGet() == 1) {
                        throw new IllegalStateException("s3cret of the receiver");
                    }
                });
        Event event = Sends.event().build();

        assertThat(Sends.one(sink(NEW).build(), event))
                .isInstanceOfSatisfying(
                        Outcome.Retry.class, retry -> assertThat(retry.after()).isEqualTo(Duration.ofSeconds(7)));
        assertThat(bookings()).isZero();
        assertThat(Sends.one(sink(NEW).build(), event)).isInstanceOf(Outcome.Delivered.class);

        assertThat(bookings()).isEqualTo(1);
        assertThat(receptions).extracting(Reception::status).containsExactly(500, 200);
        assertThat(receptions.get(0).text()).doesNotContain("s3cret");
    }

    @Test
    void whileTheDatabaseIsAwayTheSenderIsToComeAgain() {
        try (EmbeddedPostgres away = EmbeddedPostgres.temporary()) {
            WebhookReceiver receiver = WebhookReceiver.builder(away.dataSource(), consumer)
                    .secrets(NEW)
                    .clock(clock)
                    .build();
            away.stop();

            assertThat(receive(receiver, signed(FOREIGN, BODY, NEW), BODY)).isEqualTo(Kind.UNAVAILABLE);
        }
        assertThat(Kind.UNAVAILABLE)
                .satisfies(kind ->
                        assertThat(new Reception(kind, "", null).status()).isEqualTo(503));
    }

    /** It answered 500: a pool's exception without an SQLSTATE became a NullPointerException. */
    @Test
    void whileThePoolIsExhaustedTheSenderIsToComeAgain() {
        WebhookReceiver receiver = WebhookReceiver.builder(
                        new PGSimpleDataSource() {
                            @Override
                            public Connection getConnection() throws SQLException {
                                throw new SQLException("timed out after 30000 ms");
                            }
                        },
                        consumer)
                .secrets(NEW)
                .clock(clock)
                .build();

        assertThat(receive(receiver, signed(FOREIGN, BODY, NEW), BODY)).isEqualTo(Kind.UNAVAILABLE);
    }

    @Test
    void duringARotationEitherSideMayBeAhead() {
        WebhookReceiver both = receiver(NEW, OLD, Signature.newSecret()).build();
        assertThat(receive(both, signed("a", BODY, OLD), BODY)).isEqualTo(Kind.PROCESSED);
        assertThat(receive(both, signed("b", BODY, NEW), BODY)).isEqualTo(Kind.PROCESSED);

        Map<String, String> signedByBoth = signed("c", BODY, NEW, OLD);
        assertThat(receive(receiver(OLD).build(), signedByBoth, BODY)).isEqualTo(Kind.PROCESSED);
        assertThat(receive(receiver(NEW).build(), signedByBoth, BODY)).isEqualTo(Kind.DUPLICATE);
        assertThat(receive(receiver(Signature.newSecret()).build(), signedByBoth, BODY))
                .isEqualTo(Kind.REFUSED);
    }

    @Test
    void theSinksRotationReachesReceiversWithEitherSecret() {
        for (String secret : List.of(OLD, NEW)) {
            List<Reception> receptions = serve(receiver(secret).build(), book);
            assertThat(Sends.one(sink(NEW, OLD).build())).isInstanceOf(Outcome.Delivered.class);
            assertThat(receptions).extracting(Reception::kind).containsExactly(Kind.PROCESSED);
        }
    }

    @Test
    void anotherBodyIdTimeOrSecretIsRefusedAndHasNoEffect() throws SQLException {
        WebhookReceiver receiver = receiver(NEW).build();
        Map<String, String> headers = signed(FOREIGN, BODY, NEW);

        assertThat(receive(receiver, headers, "{\"price\": 11}".getBytes(UTF_8)))
                .isEqualTo(Kind.REFUSED);
        assertThat(receive(receiver, changed(headers, "webhook-id", "msg_other"), BODY))
                .isEqualTo(Kind.REFUSED);
        String later = Long.toString(clock.instant().getEpochSecond() + 1);
        assertThat(receive(receiver, changed(headers, "webhook-timestamp", later), BODY))
                .isEqualTo(Kind.REFUSED);
        assertThat(receive(receiver, signed(FOREIGN, BODY, OLD), BODY)).isEqualTo(Kind.REFUSED);
        assertThat(receive(receiver(OLD).build(), headers, BODY)).isEqualTo(Kind.REFUSED);
        assertThat(bookings()).isZero();
        assertThat(receive(receiver, headers, BODY)).isEqualTo(Kind.PROCESSED);
    }

    @Test
    void aRefusalIsA401ThatTheSinkTakesForADeadLetter() {
        serve(receiver(NEW).build(), book);

        assertThat(Sends.one(sink(OLD).build()))
                .isInstanceOfSatisfying(
                        Outcome.Reject.class,
                        reject -> assertThat(reject.reason()).contains("401", "no signature is right"));
        assertThat(worked).isEmpty();
    }

    /** The second signature of the spec's three is ours; the others are of versions that we do not know. */
    @Test
    void signaturesOfOtherVersionsAreIgnored() {
        WebhookReceiver receiver = receiver(NEW).build();
        Map<String, String> headers = signed(FOREIGN, BODY, NEW);
        String right = headers.get("webhook-signature");
        String asV2 = right.replace("v1,", "v2,");

        assertThat(receive(receiver, changed(headers, "webhook-signature", asV2), BODY))
                .isEqualTo(Kind.REFUSED);
        assertThat(receive(receiver, changed(headers, "webhook-signature", right.substring(3)), BODY))
                .isEqualTo(Kind.REFUSED);
        assertThat(receive(receiver, changed(headers, "webhook-signature", right.replace("=", "")), BODY))
                .isEqualTo(Kind.REFUSED);
        assertThat(receive(receiver, changed(headers, "webhook-signature", "v1a,x  " + right + " " + asV2), BODY))
                .isEqualTo(Kind.PROCESSED);
    }

    @ParameterizedTest
    @ValueSource(longs = {-301, 301, -86_400, 86_400})
    void aClockThatIsFarOffMakesARequestRefused(long seconds) {
        Map<String, String> headers = signed(FOREIGN, BODY, NEW);
        clock.advance(Duration.ofSeconds(seconds));

        Reception reception = receiver(NEW).build().receive(headers::get, BODY, book);

        assertThat(reception.status()).isEqualTo(401);
        assertThat(reception.text()).contains("webhook-timestamp");
    }

    @ParameterizedTest
    @ValueSource(longs = {-299, 299})
    void aClockThatIsALittleOffDoesNot(long seconds) {
        Map<String, String> headers = signed(FOREIGN, BODY, NEW);
        clock.advance(Duration.ofSeconds(seconds));

        assertThat(receive(receiver(NEW).build(), headers, BODY)).isEqualTo(Kind.PROCESSED);
        assertThat(receive(receiver(NEW).tolerance(Duration.ofSeconds(10)).build(), headers, BODY))
                .isEqualTo(Kind.REFUSED);
    }

    /** What we take they take, and what we refuse they refuse. */
    @Test
    void agreesWithTheStandardsOwnLibrary() {
        WebhookReceiver receiver = receiver(NEW).build();
        List<String> secrets = List.of(NEW, OLD);
        for (String secret : secrets) {
            for (byte[] body : List.of(BODY, "{}".getBytes(UTF_8))) {
                Map<String, String> headers = signed("id-" + worked.size(), BODY, secret);
                boolean ours = receive(receiver, headers, body) == Kind.PROCESSED;
                assertThat(ours).isEqualTo(verifiedByTheLibrary(NEW, headers, body));
            }
        }
        assertThat(worked).as("one of four is right").hasSize(1);
    }

    @Test
    void whatTheStandardsLibrarySignsIsTaken() throws Exception {
        long now = clock.instant().getEpochSecond();
        String signature = new com.standardwebhooks.Webhook(NEW).sign(FOREIGN, now, new String(BODY, UTF_8));
        Map<String, String> headers =
                Map.of("webhook-id", FOREIGN, "webhook-timestamp", Long.toString(now), "webhook-signature", signature);

        assertThat(receive(receiver(NEW).build(), headers, BODY)).isEqualTo(Kind.PROCESSED);
    }

    private static boolean verifiedByTheLibrary(String secret, Map<String, String> headers, byte[] body) {
        Map<String, List<String>> lists = headers.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, header -> List.of(header.getValue())));
        try {
            new com.standardwebhooks.Webhook(secret)
                    .verify(new String(body, UTF_8), HttpHeaders.of(lists, (name, value) -> true));
            return true;
        } catch (WebhookVerificationException e) {
            return false;
        }
    }

    @Test
    void anIdThatIsNoUuidHasAnEventIdThatNothingUnsignedCanChange() {
        WebhookReceiver receiver = receiver(NEW).build();
        Map<String, String> headers = signed(FOREIGN, BODY, NEW);

        assertThat(receive(receiver, changed(headers, "ce-source", "a"), BODY)).isEqualTo(Kind.PROCESSED);
        assertThat(receive(receiver, changed(headers, "ce-source", "b"), BODY)).isEqualTo(Kind.DUPLICATE);
        assertThat(receive(receiver, changed(headers, "ce-id", UUID.randomUUID().toString()), BODY))
                .isEqualTo(Kind.DUPLICATE);
        assertThat(worked.get(0).eventId()).isEqualTo(EventIds.named(consumer, FOREIGN));
        assertThat(worked.get(0).id()).isEqualTo(FOREIGN);
    }

    @ParameterizedTest
    @EnumSource(
            value = Form.class,
            names = {"BINARY", "STRUCTURED"})
    void anEventArrivesWithTheIdAndTheSourceThatItsPublisherGaveIt(Form form) {
        Event event = Sends.event().id("b-1").source("/real/clients").build();
        List<Reception> receptions = serve(receiver(NEW).build(), book);

        HttpSink sink = sink(NEW).form(form).build();
        assertThat(Sends.one(sink, event)).isInstanceOf(Outcome.Delivered.class);
        assertThat(Sends.one(sink, event)).isInstanceOf(Outcome.Delivered.class);

        assertThat(receptions).extracting(Reception::kind).containsExactly(Kind.PROCESSED, Kind.DUPLICATE);
        Webhook webhook = worked.get(0);
        assertThat(webhook.id()).isEqualTo(event.id().toString());
        assertThat(webhook.eventId()).isEqualTo(EventIds.named("/real/clients", "b-1"));
        assertThat(List.of(attribute("id", form, webhook), attribute("source", form, webhook)))
                .containsExactly("b-1", "/real/clients");
    }

    private static Object attribute(String name, Form form, Webhook webhook) {
        return form == Form.BINARY
                ? webhook.attribute(name)
                : Json.members(webhook.body()).get(name);
    }

    @Test
    void aCloudEventOfAnotherSenderHasItsOwnIdToo() {
        Map<String, String> headers = signed(FOREIGN, BODY, NEW);
        headers.put("ce-id", "evt_7");
        headers.put("ce-source", "https://partner.example.com");

        assertThat(receive(receiver(NEW).build(), headers, BODY)).isEqualTo(Kind.PROCESSED);
        assertThat(worked.get(0).attribute("id")).isEqualTo("evt_7");
        assertThat(worked.get(0).source()).isEqualTo("https://partner.example.com");
    }

    @Test
    void idsOfASourceThatAHubKnowsBecomeTheHubs() {
        Map<String, String> headers = signed(FOREIGN, BODY, NEW);

        assertThat(receive(receiver(NEW).source("stripe").build(), headers, BODY))
                .isEqualTo(Kind.PROCESSED);
        assertThat(worked.get(0).eventId()).isEqualTo(EventIds.named("stripe", FOREIGN));
    }

    @Test
    void aSenderCannotClaimTheIdsOfAnother() {
        String id = UUID.randomUUID().toString();

        assertThat(receive(receiver(OLD).source("one").build(), signed(id, BODY, OLD), BODY))
                .isEqualTo(Kind.PROCESSED);
        assertThat(receive(receiver(NEW).source("two").build(), signed(id, BODY, NEW), BODY))
                .isEqualTo(Kind.PROCESSED);
        assertThat(receive(receiver(NEW).source("two").build(), signed(id.toUpperCase(Locale.ROOT), BODY, NEW), BODY))
                .isEqualTo(Kind.DUPLICATE);
    }

    @Test
    void aUuidIsTheSameInCapitalsAndAnAbbreviatedOneIsNone() {
        WebhookReceiver receiver = receiver(NEW).build();
        UUID id = UUID.fromString("0192f0c1-5b1e-7cc0-8000-00000000000a");

        assertThat(receive(receiver, signed(id.toString(), BODY, NEW), BODY)).isEqualTo(Kind.PROCESSED);
        assertThat(receive(receiver, signed("0192F0C1-5B1E-7CC0-8000-00000000000A", BODY, NEW), BODY))
                .isEqualTo(Kind.DUPLICATE);
        assertThat(receive(receiver, signed("192f0c1-5b1e-7cc0-8000-a", BODY, NEW), BODY))
                .isEqualTo(Kind.PROCESSED);
    }

    /** Otherwise the signature of one request would be right for another id, time and body. */
    @Test
    void theBordersOfWhatIsSignedCannotBeMoved() {
        WebhookReceiver receiver = receiver(NEW).build();
        long now = clock.instant().getEpochSecond();
        byte[] body = (now + ".rest").getBytes(UTF_8);
        Map<String, String> headers = signed(FOREIGN, body, NEW);
        Map<String, String> moved = changed(headers, "webhook-id", FOREIGN + "." + now);

        assertThat(receive(receiver, headers, body)).isEqualTo(Kind.PROCESSED);
        assertThat(receive(receiver, moved, "rest".getBytes(UTF_8))).isEqualTo(Kind.MALFORMED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"webhook-id", "webhook-timestamp", "webhook-signature"})
    void aHeaderThatIsMissingOrEmptyIsNamed(String name) {
        Map<String, String> headers = signed(FOREIGN, BODY, NEW);
        headers.remove(name);
        Reception reception = receiver(NEW).build().receive(headers::get, BODY, book);
        assertThat(reception.status()).isEqualTo(400);
        assertThat(reception.text()).contains(name);

        assertThat(receive(receiver(NEW).build(), changed(headers, name, ""), BODY))
                .isIn(Kind.MALFORMED, Kind.REFUSED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "-1", "+1700000000", "1700000000.5", "99999999999999999999", " 1700000000"})
    void aTimeThatIsNoNumberOfSecondsIsMalformed(String timestamp) {
        Map<String, String> headers = changed(signed(FOREIGN, BODY, NEW), "webhook-timestamp", timestamp);

        assertThat(receive(receiver(NEW).build(), headers, BODY)).isEqualTo(Kind.MALFORMED);
    }

    @Test
    void ofABodyThatIsTooLargeNoMoreIsReadThanTheLimit() throws IOException {
        WebhookReceiver receiver = receiver(NEW).maxBodyBytes(BODY.length).build();
        Map<String, String> headers = signed(FOREIGN, BODY, NEW);
        InputStream large = new ByteArrayInputStream(new byte[1_000]);

        assertThat(receiver.receive(headers::get, large, book).status()).isEqualTo(413);
        assertThat(large.available()).isEqualTo(1_000 - BODY.length - 1);
        assertThat(receiver.receive(headers::get, new ByteArrayInputStream(BODY), book)
                        .kind())
                .isEqualTo(Kind.PROCESSED);
    }

    @Test
    void aSampleIsVerifiedAndHasNoEffect() throws SQLException {
        List<Reception> receptions = serve(receiver(NEW).build(), book);
        RecordedEvent sample = Sends.recorded(Sends.event().build()).marked(Marks.TEST, "true");

        assertThat(Sends.one(sink(NEW).build(), sample)).isInstanceOf(Outcome.Delivered.class);
        assertThat(Sends.one(sink(OLD).build(), sample)).isInstanceOf(Outcome.Reject.class);

        assertThat(receptions).extracting(Reception::kind).containsExactly(Kind.SAMPLE, Kind.REFUSED);
        assertThat(bookings()).isZero();
    }

    @Test
    void somebodyElsesTransactionsCanBeUsed() throws SQLException {
        AtomicInteger begun = new AtomicInteger();
        Transactions transactions = new Transactions() {
            @Override
            public <T extends @Nullable Object, E extends Exception> T run(Effect<T, E> work) throws E {
                begun.incrementAndGet();
                try (Connection connection = DATABASE.dataSource().getConnection()) {
                    connection.setAutoCommit(false);
                    T result = work.apply(connection);
                    connection.commit();
                    return result;
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        WebhookReceiver receiver = receiver(NEW).transactions(transactions).build();
        Map<String, String> headers = signed(FOREIGN, BODY, NEW);

        assertThat(receive(receiver, headers, BODY)).isEqualTo(Kind.PROCESSED);
        assertThat(receive(receiver, headers, BODY)).isEqualTo(Kind.DUPLICATE);
        assertThat(begun).hasValue(2);
        assertThat(bookings()).isEqualTo(1);
    }

    @Test
    void settingsThatMakeNoSenseAreRefusedWithoutShowingSecrets() {
        assertThatCode(() -> receiver(NEW, OLD, Signature.newSecret()).build()).doesNotThrowAnyException();
        assertThatThrownBy(() -> receiver().build())
                .isInstanceOf(PosthornException.class)
                .hasMessageContaining("secret");
        assertThatThrownBy(() -> receiver("whsec_s3cret!!").build())
                .isInstanceOf(PosthornException.class)
                .hasMessageNotContaining("s3cret");
        assertThatThrownBy(() -> receiver(NEW).tolerance(Duration.ZERO).build()).hasMessageContaining("tolerance");
        assertThatThrownBy(() -> WebhookReceiver.builder(DATABASE.dataSource(), " ")
                        .secrets(NEW)
                        .build())
                .hasMessageContaining("consumer");
    }

    private static Map<String, String> changed(Map<String, String> headers, String name, String value) {
        Map<String, String> changed = new TreeMap<>(headers);
        changed.put(name, Objects.requireNonNull(value));
        return changed;
    }
}
