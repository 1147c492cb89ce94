package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.Guarded;
import dev.posthorn.TestDatabase;
import dev.posthorn.embedded.postgres.Binaries;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import dev.posthorn.log.Rebase;
import dev.posthorn.log.SchemaName;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testing.SteppedRelay;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The data is moved to another cluster by a real dump, whose transaction ids start again from below. */
class RebaseTest {

    /** Each start is long after the last, so that an instance that ended without a word no longer counts. */
    private static Instant later = Instant.parse("2026-01-01T00:00:00Z");

    private static EmbeddedPostgres former;
    private static EmbeddedPostgres next;

    @TempDir
    private static Path directory;

    @BeforeAll
    static void startTwoServers() {
        former = EmbeddedPostgres.builder().binaries(Binaries.oldest()).start();
        next = EmbeddedPostgres.temporary();
    }

    @AfterAll
    static void stop() {
        former.close();
        next.close();
    }

    @Test
    void everyLaneDrainsWhatItsOldMarkDoesNotSettleAndThenReadsOn() throws Exception {
        Guarded.by(Guard.UNREAD_IS_UNSETTLED, guards -> {
            TestDatabase old = TestDatabase.create(former);
            spendTransactionIds(old);
            deliverInPart(old);
            List<Long> settled = settledSeqs(old);
            assertThat(settled).hasSizeBetween(21, 39);

            TestDatabase moved = move(old, next);
            record(moved, "written before the rebase", 10);
            RecordingSink after = RecordingSink.oneAtATime();
            assertThatThrownBy(() -> start(moved, after, Guards.ALL))
                    .isInstanceOfSatisfying(
                            PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLUSTER_CHANGED));

            assertThat(new Rebase(moved.dataSource(), SchemaName.DEFAULT).run()).isTrue();
            assertThat(new Rebase(moved.dataSource(), SchemaName.DEFAULT).run()).isFalse();
            SteppedRelay relay = start(moved, after, guards);
            relay.run(20);
            record(moved, "written after the rebase", 10);
            relay.run(20);

            List<Long> expected = new ArrayList<>(allSeqs(moved));
            expected.removeAll(settled);
            assertThat(after.receivedSeqs()).containsExactlyInAnyOrderElementsOf(expected);
            assertOrderPerKey(after);
            relay.leave();

            SteppedRelay again = start(moved, after, guards);
            again.run(5);
            assertThat(after.receivedSeqs()).as("nothing again").hasSize(expected.size());
            again.close();
        });
    }

    @Test
    void aSecondMoveInTheMiddleOfDrainingLosesNothing() throws Exception {
        TestDatabase old = TestDatabase.create(former);
        spendTransactionIds(old);
        deliverInPart(old);
        List<Long> settled = settledSeqs(old);
        TestDatabase moved = move(old, next);
        new Rebase(moved.dataSource(), SchemaName.DEFAULT).run();
        RecordingSink draining = RecordingSink.pipelined();
        SteppedRelay interrupted = start(moved, draining, Guards.ALL, 4);
        interrupted.run(3);
        interrupted.leave();
        assertThat(draining.receivedSeqs()).isNotEmpty();
        record(moved, "between the moves", 5);

        // The same cluster counts as another one if its identifier is not the stored one.
        moved.execute("UPDATE posthorn.cluster SET system_identifier = 1");
        assertThat(new Rebase(moved.dataSource(), SchemaName.DEFAULT).run()).isTrue();
        SteppedRelay relay = start(moved, draining, Guards.ALL);
        relay.run(20);
        List<Long> expected = new ArrayList<>(allSeqs(moved));
        expected.removeAll(settled);
        assertThat(draining.receivedSeqs()).containsExactlyInAnyOrderElementsOf(expected);
        relay.close();
    }

    @Test
    void aStartingTimeIsNotAppliedToWhatWasCommittedAfterTheStart() {
        for (boolean firstWindowIsSettled : List.of(true, false)) {
            Instances instances = new Instances(RecordingSink.oneAtATime(), Guards.ALL);
            instances.database.record("before the start");
            SteppedRelay relay = instances.start(
                    "a", s -> s.lanes(1).from(instances.clock.instant().plusSeconds(3600)));
            relay.run(firstWindowIsSettled ? 20 : 0);
            relay.leave();
            instances.database.record("after the start");
            instances.database.execute("UPDATE posthorn.cluster SET system_identifier = 1");
            new Rebase(instances.database.dataSource(), SchemaName.DEFAULT).run();
            instances.start("b", s -> s.lanes(1)).run(10);
            assertThat(instances.keys()).containsExactly("after the start");
        }
    }

    /** Two lanes at different marks: one has delivered all, the other stands at its first event of the second batch. */
    private static void deliverInPart(TestDatabase database) {
        RecordingSink sink = RecordingSink.oneAtATime();
        record(database, "of the first batch", 20);
        SteppedRelay relay = start(database, sink, Guards.ALL);
        relay.run(10);
        String stuck = sink.received().get(0).event().key();
        sink.answering(e -> stuck.equals(e.event().key()) ? new Outcome.Unavailable("away") : Outcome.DELIVERED);
        record(database, "of the second batch", 20);
        relay.run(3);
        relay.close();
        record(database, "never read", 10);
    }

    /** What the marks and rows of the former cluster say, by its own arithmetic. */
    private static List<Long> settledSeqs(TestDatabase database) {
        return seqs(database, """
                JOIN posthorn.lane n ON n.index = posthorn.key_hash(e.key, e.id) % 2
                JOIN posthorn.lane_mark m ON m.lane_id = n.id
                WHERE (pg_visible_in_snapshot(e.txid, m.a) OR (pg_visible_in_snapshot(e.txid, m.b) AND e.seq <= m.seq))
                  AND NOT EXISTS (SELECT FROM posthorn.delivery d WHERE d.seq = e.seq)
                """);
    }

    private static SteppedRelay start(TestDatabase database, RecordingSink sink, Guards guards) {
        return start(database, sink, guards, 10_000);
    }

    private static SteppedRelay start(TestDatabase database, RecordingSink sink, Guards guards, int inFlightLimit) {
        later = later.plus(Duration.ofHours(1));
        SettableClock clock = SettableClock.at(later, database.dataSource(), SchemaName.DEFAULT);
        Subscription subscription = Subscription.to("moving", sink)
                .lanes(2)
                .fromBeginning()
                .inFlightLimit(inFlightLimit)
                .build();
        Relay.Builder relay =
                Relay.builder(database.dataSource()).subscribe(subscription).guards(guards);
        return SteppedRelay.of(relay, clock).pass();
    }

    private static void record(TestDatabase database, String what, int count) {
        IntStream.range(0, count)
                .forEach(i -> database.record(Event.builder()
                        .source("test")
                        .type("test.happened")
                        .key("key-" + i % 7)
                        .json('"' + what + '"')
                        .build()));
    }

    private static List<Long> allSeqs(TestDatabase database) {
        return seqs(database, "");
    }

    private static List<Long> seqs(TestDatabase database, String condition) {
        String seqs =
                database.value("SELECT string_agg(e.seq::text, ',' ORDER BY e.seq) FROM posthorn.event e " + condition);
        return List.of(seqs.split(",")).stream().map(Long::valueOf).toList();
    }

    private static void assertOrderPerKey(RecordingSink sink) {
        sink.received().stream()
                .collect(Collectors.groupingBy(e -> String.valueOf(e.event().key())))
                .values()
                .forEach(ofKey -> assertThat(ofKey).isSortedAccordingTo(Comparator.comparing(RecordedEvent::seq)));
    }

    private static void spendTransactionIds(TestDatabase database) {
        database.execute("DO $$ BEGIN FOR i IN 1..20000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$");
    }

    private static TestDatabase move(TestDatabase from, EmbeddedPostgres to) throws Exception {
        TestDatabase target = TestDatabase.createEmpty(to);
        Path dump = directory.resolve(from.name() + ".sql");
        run(former, "pg_dump", "--file", dump.toString(), from.name());
        run(to, "psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", dump.toString(), target.name());
        return target;
    }

    private static void run(EmbeddedPostgres server, String... command) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment()
                .putAll(Map.of(
                        "PGHOST", "127.0.0.1",
                        "PGPORT", String.valueOf(server.port()),
                        "PGUSER", server.user(),
                        "PGPASSWORD", server.password()));
        Process process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(String.join(" ", command)).isZero();
    }
}
