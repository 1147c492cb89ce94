package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.posthorn.TestDatabase;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.error.PosthornException;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The relay with its threads, on the real clock. */
class RelayTest {

    @Test
    void deliversWhatIsCommittedAndNothingTwiceAfterACleanStop() {
        TestDatabase database = TestDatabase.create();
        RecordingSink sink = RecordingSink.oneAtATime();
        try (Relay relay = start(database, sink)) {
            assertThat(relay.lanes()).hasSize(4);
            IntStream.range(0, 100).forEach(i -> database.record("key-" + i % 7));
            awaitReceived(sink, 100);
        }
        try (Relay again = start(database, sink)) {
            assertThat(again.lanes()).as("lanes free at once").hasSize(4);
            database.record("key-1");
            awaitReceived(sink, 101);
        }
    }

    @Test
    void aCleanStopWaitsForAnswersThatAreOnTheirWay() {
        TestDatabase database = TestDatabase.create();
        RecordingSink sink = RecordingSink.pipelined();
        Relay relay = start(database, sink);
        sink.hold();
        IntStream.range(0, 50).forEach(i -> database.record("key-" + i));
        await().atMost(Duration.ofSeconds(60)).until(() -> sink.waiting().size() == 50);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(relay::close);
        await().pollDelay(Duration.ofMillis(300)).until(() -> !closing.isDone());
        sink.answerAll();
        closing.join();
        try (Relay again = start(database, sink)) {
            assertThat(again.lanes()).hasSize(4);
            database.record("last");
            awaitReceived(sink, 51);
        }
        assertThat(sink.receivedSeqs()).doesNotHaveDuplicates();
    }

    /** As of a reader that overflows its stack: the thread that met it has other lanes too. */
    @Test
    void anErrorThatASinkThrowsForOneEventStopsNoOther() {
        TestDatabase database = TestDatabase.create();
        RecordingSink faulty = RecordingSink.oneAtATime();
        faulty.answering(event -> {
            if ("poison".equals(event.event().key())) {
                throw new StackOverflowError();
            }
            return Outcome.DELIVERED;
        });
        RecordingSink good = RecordingSink.oneAtATime();
        try (Relay relay = Relay.builder(database.dataSource())
                .workers(1)
                .subscribe(Subscription.to("faulty", faulty)
                        .lanes(1)
                        .retry(RetryPolicy.of(5, Duration.ofHours(1)))
                        .build())
                .subscribe(Subscription.to("good", good).lanes(1).build())
                .start()) {
            assertThat(relay.isRunning()).isTrue();
            List.of("poison", "other").forEach(database::record);
            awaitReceived(good, 2);
            String settled = "SELECT count(*) FROM posthorn.event_status"
                    + " WHERE subscription = 'faulty' AND status = 'DELIVERED'";
            await().atMost(Duration.ofSeconds(60)).until(() -> database.number(settled) == 1);
            assertThat(database.value("SELECT string_agg(key || attempts, ' ') FROM posthorn.delivery"))
                    .isEqualTo("poison1");
        }
    }

    @Test
    void survivesARestartOfTheDatabaseByItself() {
        try (EmbeddedPostgres server = EmbeddedPostgres.temporary()) {
            TestDatabase database = TestDatabase.create(server);
            RecordingSink sink = RecordingSink.oneAtATime();
            try (Relay relay = start(database, sink)) {
                database.record("before");
                awaitReceived(sink, 1);
                server.stop();
                server.start();
                database.record("after a restart");
                awaitReceived(sink, 2);
                server.kill();
                server.start();
                database.record("after a crash");
                awaitReceived(sink, 3);
                assertThat(relay.lanes()).hasSize(4);
            }
            assertThat(sink.receivedSeqs()).doesNotHaveDuplicates();
        }
    }

    @Test
    void aSinkThatIsAwayGetsEverythingWhenItIsBack() {
        TestDatabase database = TestDatabase.create();
        RecordingSink sink = RecordingSink.pipelined();
        sink.answering(event -> new Outcome.Unavailable("refused"));
        try (Relay relay = start(database, sink)) {
            IntStream.range(0, 20).forEach(i -> database.record("same"));
            await().atMost(Duration.ofSeconds(60)).until(() -> sink.opened() > 1);
            sink.answering(event -> Outcome.DELIVERED);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> relay.lanes().stream()
                                    .mapToLong(OwnedLane::delivered)
                                    .sum()
                            == 20);
        }
    }

    @Test
    void aCommitInTheSameProcessNeedsNoPoll() {
        TestDatabase database = TestDatabase.create();
        RecordingSink sink = RecordingSink.oneAtATime();
        Subscription seldom = Subscription.to("test", sink)
                .pollInterval(Duration.ofMinutes(1), Duration.ofMinutes(1))
                .build();
        try (Relay relay =
                Relay.builder(database.dataSource()).subscribe(seldom).start()) {
            for (int i = 1; i <= 3; i++) {
                database.record("key");
                relay.wake();
                awaitReceived(sink, i);
            }
        }
    }

    @Test
    void aMissingSchemaIsToldAtTheStart() {
        TestDatabase empty = TestDatabase.createEmpty();
        assertThatThrownBy(() -> start(empty, RecordingSink.oneAtATime()))
                .isInstanceOf(PosthornException.class)
                .hasMessageContaining("not installed")
                .hasMessageContaining("Schema.install");
    }

    private static void awaitReceived(RecordingSink sink, int count) {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(sink.received()).hasSize(count));
    }

    /** With time for an answer, and so a lease, that outlasts a test or a server that stands still for a while. */
    private static Relay start(TestDatabase database, RecordingSink sink) {
        return Relay.builder(database.dataSource())
                .subscribe(Subscription.to("test", sink)
                        .timeout(Duration.ofMinutes(1))
                        .build())
                .sessionTtl(Duration.ofMinutes(3))
                .start();
    }
}
