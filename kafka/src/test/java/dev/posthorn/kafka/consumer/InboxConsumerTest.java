package dev.posthorn.kafka.consumer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.PosthornException;
import dev.posthorn.inbox.RejectedEventException;
import dev.posthorn.kafka.TopicContent;
import dev.posthorn.subscription.RetryPolicy;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

@Tag("slow")
class InboxConsumerTest {

    private Books books;

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(2));
    }

    @BeforeEach
    void open() throws Exception {
        books = new Books(1);
    }

    @AfterEach
    void close() {
        books.close();
    }

    @Test
    void anEventHasOneEffectHoweverOftenItComes() {
        UUID id = books.publish("a", "one").get(0);
        for (int i = 0; i < 9; i++) {
            books.send(id, "a", "one");
        }
        books.publish("a", "end");

        books.start(books.consumer(Books::enter));

        await().untilAsserted(() -> assertThat(books.entries()).containsExactly("one", "end"));
    }

    @Test
    void anEventHasOneEffectInBatchesToo() {
        List<UUID> ids = books.publish("a", "one", "two");
        ids.forEach(id -> books.send(id, "a", "again"));
        books.publish("a", "end");

        books.start(books.consumer(Books::enter).batchHandler((connection, events) -> {
            for (var event : events) {
                Books.enter(connection, event);
            }
        }));

        await().untilAsserted(() -> assertThat(books.entries()).containsExactly("one", "two", "end"));
    }

    @Test
    void keysAreHandledSideBySideAndEachInItsOrder() {
        CountDownLatch slow = new CountDownLatch(1);
        books.publish("slow", "s1", "s2");
        books.publish("quick", "q1", "q2", "q3");

        books.start(books.consumer((connection, event) -> {
                    if (Books.text(event).equals("s1")) {
                        assertThat(slow.await(5, TimeUnit.MINUTES)).isTrue();
                    }
                    Books.enter(connection, event);
                })
                .threads(2));

        await().untilAsserted(() -> assertThat(books.entries()).containsExactly("q1", "q2", "q3"));
        slow.countDown();
        await().untilAsserted(() -> assertThat(books.entries("slow")).containsExactly("s1", "s2"));
    }

    @Test
    void aFailingEventIsTriedAgainAndKeepsOnlyItsKeyWaiting() {
        AtomicInteger failures = new AtomicInteger();
        CountDownLatch mended = new CountDownLatch(1);
        books.publish("bad", "b1", "b2");
        books.publish("good", "g1", "g2");

        books.start(books.consumer((connection, event) -> {
                    Books.enter(connection, event);
                    if (Books.text(event).equals("b1") && mended.getCount() > 0) {
                        failures.incrementAndGet();
                        throw new IllegalStateException("not now");
                    }
                })
                .threads(1)
                .retry(RetryPolicy.of(RetryPolicy.UNLIMITED, Duration.ofMillis(20))));

        await().until(() -> failures.get() >= 3);
        await().untilAsserted(() -> assertThat(books.entries()).containsExactly("g1", "g2"));
        mended.countDown();
        await().untilAsserted(() -> assertThat(books.entries("bad")).containsExactly("b1", "b2"));
    }

    @Test
    void aFailingEventOfABatchFailsAlone() {
        books.publish("a", "a1", "bad", "a3");
        books.publish("b", "b1", "b2");

        books.start(books.consumer(Books::enter)
                .batchHandler((connection, events) -> {
                    for (var event : events) {
                        if (Books.text(event).equals("bad")) {
                            throw new RejectedEventException("no such account");
                        }
                        Books.enter(connection, event);
                    }
                })
                .deadLetterTopic());

        await().untilAsserted(() -> assertThat(books.entries("a")).containsExactly("a1", "a3"));
        await().untilAsserted(() -> assertThat(books.entries("b")).containsExactly("b1", "b2"));
    }

    @Test
    void afterTheLastAttemptItIsADeadLetterAndIsProcessedOnceWhenReplayed() {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch mended = new CountDownLatch(1);
        UUID bad = books.publish("a", "a1", "bad", "a3").get(1);

        books.start(books.consumer((connection, event) -> {
                    if (Books.text(event).equals("bad") && mended.getCount() > 0) {
                        calls.incrementAndGet();
                        throw new IllegalStateException("no such account");
                    }
                    Books.enter(connection, event);
                })
                .ownRelay(true));

        await().untilAsserted(() -> assertThat(books.entries()).containsExactly("a1", "a3"));
        assertThat(calls).hasValue(3);
        assertThat(books.database()
                        .query(
                                "SELECT event_id || ' ' || attempts || ' ' || error_message || ' ' || (headers->>'posthorn-origin')"
                                        + " || (SELECT count(*) FROM posthorn.attempt) FROM posthorn.dead_letter",
                                row -> row.getString(1)))
                .containsExactly(
                        bad + " 3 java.lang.IllegalStateException: no such account " + books.topic() + "-0@1" + "3");

        mended.countDown();
        books.send(bad, "a", "bad");
        books.publish("a", "a4");
        await().untilAsserted(() -> assertThat(books.entries()).containsExactly("a1", "a3", "a4"));
        books.database().replayAll();
        await().untilAsserted(() -> assertThat(books.entries()).containsExactly("a1", "a3", "a4", "bad"));
        await().untilAsserted(() -> assertThat(books.database().query("SELECT 1 FROM posthorn.dead_letter", row -> 1))
                .isEmpty());
    }

    @Test
    void aDeadLetterTopicGetsTheRecordWithTheReason() {
        books.publish("a", "bad", "a2");

        books.start(books.consumer((connection, event) -> {
                    if (Books.text(event).equals("bad")) {
                        throw new RejectedEventException("no such account");
                    }
                    Books.enter(connection, event);
                })
                .deadLetterTopic());

        await().untilAsserted(() -> assertThat(books.entries()).containsExactly("a2"));
        ConsumerRecord<byte[], byte[]> letter = TopicContent.of(books.bootstrapServers(), books.topic() + ".DLT")
                .get(0);
        assertThat(new String(letter.value(), UTF_8)).isEqualTo("bad");
        assertThat(new String(letter.key(), UTF_8)).isEqualTo("a");
        Map<String, String> headers = StreamSupport.stream(letter.headers().spliterator(), false)
                .collect(Collectors.toMap(h -> h.key(), h -> new String(h.value(), UTF_8)));
        assertThat(headers)
                .containsEntry("ce_type", "order.placed")
                .containsEntry("posthorn-dead-letter-consumer", books.name())
                .containsEntry("posthorn-dead-letter-error-class", "rejected")
                .containsEntry("posthorn-dead-letter-error-message", "no such account")
                .containsEntry("posthorn-dead-letter-attempts", "1")
                .containsEntry("posthorn-dead-letter-topic", books.topic())
                .containsEntry("posthorn-dead-letter-offset", "0");
    }

    @Test
    void aRecordThatIsNoEventIsADeadLetterAndStopsNothing() {
        books.send(new ProducerRecord<>(books.topic(), "a".getBytes(UTF_8), "what?".getBytes(UTF_8)));
        books.publish("a", "a2");

        books.start(books.consumer(Books::enter).ownRelay(true));

        await().untilAsserted(() -> assertThat(books.entries()).containsExactly("a2"));
        assertThat(books.database()
                        .query(
                                "SELECT type || ': ' || error_message FROM posthorn.dead_letter",
                                row -> row.getString(1)))
                .singleElement()
                .asString()
                .startsWith(
                        "unreadable: the record at " + books.topic() + "-0@0 is no event: header ce_source is missing");
    }

    @Test
    void anOffsetIsCommittedOnlyWhenEverythingBeforeItIsDone() throws Exception {
        CountDownLatch slow = new CountDownLatch(1);
        books.publish("first", "f1");
        books.publish("second", "s1", "s2", "s3");

        books.start(books.consumer((connection, event) -> {
            if (Books.text(event).equals("f1")) {
                assertThat(slow.await(5, TimeUnit.MINUTES)).isTrue();
            }
            Books.enter(connection, event);
        }));

        await().untilAsserted(() -> assertThat(books.entries()).containsExactly("s1", "s2", "s3"));
        await().pollDelay(Duration.ofMillis(600))
                .untilAsserted(() -> assertThat(books.committed()).isLessThanOrEqualTo(0));
        slow.countDown();
        await().untilAsserted(() -> assertThat(books.committed()).isEqualTo(4));
    }

    @Test
    void aCleanStopCommitsWhatIsDone() throws Exception {
        books.publish("a", "a1", "a2", "a3");
        InboxConsumer consumer = books.start(books.consumer(Books::enter));
        await().untilAsserted(() -> assertThat(books.entries()).hasSize(3));

        consumer.close();

        assertThat(books.committed()).isEqualTo(3);
        assertThat(consumer.isRunning()).isFalse();
    }

    @Test
    void lagTellsWhatIsNotDone() {
        CountDownLatch slow = new CountDownLatch(1);
        books.publish("a", IntStream.range(0, 50).mapToObj(i -> "a" + i).toArray(String[]::new));

        InboxConsumer consumer = books.start(books.consumer((connection, event) -> {
            assertThat(slow.await(5, TimeUnit.MINUTES)).isTrue();
            Books.enter(connection, event);
        }));

        await().untilAsserted(() -> assertThat(consumer.lag().values()).containsExactly(50L));
        slow.countDown();
        await().untilAsserted(() -> assertThat(consumer.lag().values()).containsExactly(0L));
    }

    @Test
    void moreThanTheLimitIsNotTakenInAndStillDone() {
        AtomicInteger handled = new AtomicInteger();
        books.publish("a", IntStream.range(0, 100).mapToObj(i -> "a" + i).toArray(String[]::new));

        books.start(books.consumer((connection, event) -> {
                    Books.enter(connection, event);
                    handled.incrementAndGet();
                })
                .inFlightLimit(20)
                .setting("max.poll.records", "10"));

        await().untilAsserted(() -> assertThat(books.entries())
                .containsExactlyElementsOf(
                        IntStream.range(0, 100).mapToObj(i -> "a" + i).toList()));
    }

    @Test
    void moreThanTheLimitInBytesIsNotTakenInAndStillDone() {
        String large = "x".repeat(2_000);
        books.publish("a", IntStream.range(0, 50).mapToObj(i -> i + large).toArray(String[]::new));

        books.start(books.consumer(Books::enter).inFlightBytes(5_000).setting("max.poll.records", "2"));

        await().untilAsserted(() -> assertThat(books.entries()).hasSize(50));
    }

    @Test
    void anOutageOfTheDatabaseCountsForNoEvent() {
        AtomicInteger failures = new AtomicInteger();
        books.publish("a", "a1", "a2");

        books.start(books.consumer((connection, event) -> {
                    if (Books.text(event).equals("a1") && failures.incrementAndGet() <= 2) {
                        end(connection);
                    }
                    Books.enter(connection, event);
                })
                .retry(RetryPolicy.of(1, Duration.ofMillis(1)))
                .deadLetterTopic());

        await().untilAsserted(() -> assertThat(books.entries()).containsExactly("a1", "a2"));
    }

    /** Its thread ended, and after a few of them the consumer stood still and said that it was running. */
    @Test
    void aHandlerThatLeavesItsThreadInterruptedKeepsNoOtherEventWaiting() {
        books.publish("a", "a1", "a2", "a3");
        books.publish("b", "b1");

        InboxConsumer consumer = books.start(books.consumer((connection, event) -> {
                    Books.enter(connection, event);
                    Thread.currentThread().interrupt();
                })
                .threads(1));

        await().untilAsserted(() -> assertThat(books.entries()).containsExactlyInAnyOrder("a1", "a2", "a3", "b1"));
        assertThat(consumer.isRunning()).isTrue();
    }

    /** It counted for nobody, and the key waited for ever. */
    @Test
    void aHandlerThatIsInterruptedByItsOwnDoingFailsLikeAnyOther() {
        AtomicInteger calls = new AtomicInteger();
        books.publish("a", "a1", "a2");

        books.start(books.consumer((connection, event) -> {
                    if (Books.text(event).equals("a1")) {
                        calls.incrementAndGet();
                        Thread.currentThread().interrupt();
                        throw new IllegalStateException("interrupted", new InterruptedException());
                    }
                    Books.enter(connection, event);
                })
                .threads(1)
                .retry(RetryPolicy.of(2, Duration.ofMillis(1)))
                .deadLetterTopic());

        await().untilAsserted(() -> assertThat(books.entries()).containsExactly("a2"));
        assertThat(calls).hasValue(2);
    }

    @Test
    void aTopicThatIsNamedTwiceIsOne() {
        books.publish("a", "a1");

        books.start(books.consumer(Books::enter).topics(books.topic(), books.topic()));

        await().untilAsserted(() -> assertThat(books.entries()).containsExactly("a1"));
    }

    /** The server ends the session, as in a restart. */
    private void end(Connection connection) throws Exception {
        int session;
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            session = row.getInt(1);
        }
        books.database().query("SELECT pg_terminate_backend(" + session + ")", row -> row.getBoolean(1));
    }

    @Test
    void theTraceOfTheEventIsInTheLogContextOfItsHandler() {
        Map<String, String> traces = new ConcurrentHashMap<>();
        books.publish("a", "a1");
        books.publish("b", "b1");

        books.start(books.consumer((connection, event) -> {
            traces.put(Books.text(event), String.valueOf(MDC.get("traceparent")));
            Books.enter(connection, event);
        }));

        await().untilAsserted(() -> assertThat(books.entries()).hasSize(2));
        assertThat(traces).containsEntry("a1", "00-a").containsEntry("b1", "00-b");
    }

    @Test
    void settingsThatItRestsOnAreRefusedWithTheRemedy() {
        assertThatThrownBy(() -> books.consumer(Books::enter)
                        .setting("enable.auto.commit", "true")
                        .build())
                .isInstanceOf(PosthornException.class)
                .hasMessageContaining("'enable.auto.commit' cannot be set; leave it out");
        assertThatThrownBy(() -> books.consumer(Books::enter)
                        .setting("fetch.mim.bytes", "1")
                        .build())
                .hasMessageContaining("'fetch.mim.bytes' is unknown to Kafka's consumer");
        assertThatThrownBy(() -> books.consumer(Books::enter).name("").build()).hasMessageContaining("name is missing");
        assertThatThrownBy(() -> books.consumer(Books::enter).topics().build())
                .hasMessageContaining("topics is missing");
        assertThatThrownBy(() -> books.consumer(Books::enter).threads(0)).hasMessageContaining("threads is 0");
    }
}
