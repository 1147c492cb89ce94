package dev.posthorn.relay.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.posthorn.TestDatabase;
import dev.posthorn.embedded.postgres.Binaries;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Rebase;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testing.SteppedRelay;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The data is moved to another cluster, whose transaction ids start again from below: by a real dump, and by a real
 * logical replication, which does not carry sequences.
 */
@Tag("slow")
class RebaseTest {

    /** Each start is long after the last, so that an instance that ended without a word no longer counts. */
    private static Instant later = Instant.parse("2026-01-01T00:00:00Z");

    private static EmbeddedPostgres former;
    private static EmbeddedPostgres next;

    /** Serves another database too, so its ids pass the former one's. */
    private static EmbeddedPostgres busy;

    @TempDir
    private static Path directory;

    @BeforeAll
    static void startTwoServers() {
        former = EmbeddedPostgres.builder()
                .binaries(Binaries.oldest())
                .setting("wal_level", "logical")
                .start();
        next = EmbeddedPostgres.temporary();
        busy = EmbeddedPostgres.temporary();
    }

    @AfterAll
    static void stop() {
        former.close();
        next.close();
        busy.close();
    }

    @Test
    void everyLaneDrainsWhatItsOldMarkDoesNotSettleAndThenReadsOn() throws Exception {
        TestDatabase old = TestDatabase.create(former);
        spendTransactionIds(old);
        deliverInPart(old);
        List<Long> settled = settledSeqs(old);
        assertThat(settled).hasSizeBetween(21, 39);

        TestDatabase moved = move(old, next);
        record(moved, "written before the rebase", 10);
        RecordingSink after = RecordingSink.oneAtATime();
        assertThatThrownBy(() -> start(moved, after))
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLUSTER_CHANGED));

        assertThat(new Rebase(moved.dataSource(), SchemaName.DEFAULT).run()).isTrue();
        assertThat(new Rebase(moved.dataSource(), SchemaName.DEFAULT).run()).isFalse();
        SteppedRelay relay = start(moved, after);
        relay.run(20);
        record(moved, "written after the rebase", 10);
        relay.run(20);

        List<Long> expected = new ArrayList<>(allSeqs(moved));
        expected.removeAll(settled);
        assertThat(after.receivedSeqs()).containsExactlyInAnyOrderElementsOf(expected);
        assertOrderPerKey(after);
        relay.leave();

        SteppedRelay again = start(moved, after);
        again.run(5);
        assertThat(after.receivedSeqs()).as("nothing again").hasSize(expected.size());
        again.close();
    }

    /** Their own rows tell where they got on; what is recorded in the new cluster must not be taken for a copy because of that. */
    @Test
    void lanesThatRodeDrainWhatTheirFrontDoesNotSettle() throws Exception {
        TestDatabase old = TestDatabase.create(former);
        spendTransactionIds(old);
        deliverInPart(old);
        old.execute("""
                WITH front AS (
                    INSERT INTO posthorn.front (id, session_id, a, b, read_seq, turn)
                    SELECT gen_random_uuid(), gen_random_uuid(), pg_current_snapshot(), pg_current_snapshot(), max(seq), 1
                      FROM posthorn.event
                    RETURNING id)
                UPDATE posthorn.lane_mark SET front = (SELECT id FROM front)
                """);
        record(old, "beyond the front", 10);
        List<Long> settled = settledSeqs(old);
        assertThat(settled).hasSizeGreaterThan(40);

        TestDatabase moved = move(old, next);
        record(moved, "written before the rebase", 10);
        assertThatThrownBy(() -> start(moved, RecordingSink.oneAtATime())).hasMessageContaining("another cluster");
        assertThat(rebase(moved)).isTrue();
        assertThat(moved.number("SELECT count(*) FROM posthorn.front")).isZero();
        RecordingSink after = RecordingSink.oneAtATime();
        SteppedRelay relay = start(moved, after);
        relay.run(30);
        List<Long> expected = new ArrayList<>(allSeqs(moved));
        expected.removeAll(settled);
        assertThat(after.receivedSeqs()).containsExactlyInAnyOrderElementsOf(expected);
        assertOrderPerKey(after);
        relay.close();
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
        SteppedRelay interrupted = start(moved, draining, 4);
        interrupted.run(3);
        interrupted.leave();
        assertThat(draining.receivedSeqs()).isNotEmpty();
        record(moved, "between the moves", 5);

        // The same cluster counts as another one if its identifier is not the stored one.
        moved.execute("UPDATE posthorn.cluster SET system_identifier = 1");
        assertThat(new Rebase(moved.dataSource(), SchemaName.DEFAULT).run()).isTrue();
        SteppedRelay relay = start(moved, draining);
        relay.run(20);
        List<Long> expected = new ArrayList<>(allSeqs(moved));
        expected.removeAll(settled);
        assertThat(draining.receivedSeqs()).containsExactlyInAnyOrderElementsOf(expected);
        relay.close();
    }

    @Test
    void aStartingTimeIsNotAppliedToWhatWasCommittedAfterTheStart() {
        for (boolean firstWindowIsSettled : List.of(true, false)) {
            Instances instances = new Instances(RecordingSink.oneAtATime());
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

    /** The new cluster's sequence begins again, so its first events get numbers that the lanes have read long ago. */
    @Test
    void eventsWrittenAfterALogicalReplicationAreNotTakenForSettled() throws Exception {
        TestDatabase old = TestDatabase.create(former);
        spendTransactionIds(old);
        loseNumbers(old, 20);
        deliverInPart(old);
        TestDatabase moved = replicate(old, next);
        record(old, "streamed", 10);
        List<Long> settled = settledSeqs(old);
        List<Long> replicated = allSeqs(old);
        awaitReplicated(old, moved);

        record(moved, "written before the rebase", 5);
        recordInSavepoint(moved, "key-0");
        assertThat(allSeqs(moved)).as("numbers given out again").contains(1L, 7L);
        assertThatThrownBy(() -> rebase(moved)).hasMessageContaining("ALTER SUBSCRIPTION " + moved.name() + " DISABLE");
        moved.execute("ALTER SUBSCRIPTION " + moved.name() + " DISABLE");

        assertThat(rebase(moved)).isTrue();
        assertThat(rebase(moved)).isFalse();
        RecordingSink after = RecordingSink.oneAtATime();
        SteppedRelay relay = start(moved, after);
        relay.run(30);
        record(moved, "written after the rebase", 5);
        relay.run(30);
        List<Long> expected = new ArrayList<>(allSeqs(moved));
        expected.removeAll(settled);
        assertThat(expected).hasSize(replicated.size() - settled.size() + 12);
        assertThat(after.receivedSeqs()).containsExactlyInAnyOrderElementsOf(expected);
        assertOrderPerKey(after);
        assertThat(payloads(after)).containsSubsequence("written before the rebase", "written after the rebase");
        assertThat(moved.number("SELECT count(*) FROM posthorn.event_status WHERE status = 'DELIVERED'"))
                .isEqualTo(replicated.size() + 12);
        relay.leave();
    }

    @Test
    void whatWasReplicatedUnderGreaterIdsIsNotDeliveredAgain() throws Exception {
        TestDatabase old = TestDatabase.create(former);
        RecordingSink sink = RecordingSink.oneAtATime();
        SteppedRelay relay = start(old, sink);
        record(old, "copied", 10);
        relay.run(10);
        TestDatabase moved = replicateRunning(old, busy);
        outrun(moved, old, 20_000);
        sink.answering(event -> "key-3".equals(event.event().key())
                ? new Outcome.Retry(ErrorClass.SERVER_ERROR, "not now")
                : Outcome.DELIVERED);
        record(old, "streamed", 7);
        relay.run(10);
        relay.leave();
        awaitReplicated(old, moved);
        List<Long> replicated = allSeqs(old);
        moved.execute("SELECT setval('posthorn.event_seq', 1000)");
        record(moved, "written before the rebase", 3);
        recordInSavepoint(moved, "key-0");
        moved.execute("ALTER SUBSCRIPTION " + moved.name() + " DISABLE");
        assertThat(rebase(moved)).isTrue();
        assertThat(allSeqs(moved)).containsAll(replicated);

        RecordingSink after = RecordingSink.oneAtATime();
        SteppedRelay here = start(moved, after);
        here.run(10);
        record(moved, "written after the rebase", 7);
        here.run(10);
        assertThat(payloads(after))
                .containsExactlyInAnyOrder("streamed", "written before the rebase", "{}", "written after the rebase");
        assertThat(after.received()).hasSize(1 + 3 + 2 + 7);
        assertOrderPerKey(after);
        here.leave();
    }

    /** Nobody can tell such an event from one that was written here in a savepoint, but for the rows that it has. */
    @Test
    void anEventThatWaitsKeepsItsNumberEvenIfItLooksAsIfItWereWrittenHere() throws Exception {
        TestDatabase old = TestDatabase.create(former);
        RecordingSink sink = RecordingSink.oneAtATime();
        SteppedRelay relay = start(old, sink);
        record(old, "copied", 1);
        relay.run(10);
        TestDatabase moved = replicateRunning(old, busy);
        outrun(moved, old, 100);
        sink.answering(event -> "key-1".equals(event.event().key())
                ? new Outcome.Reject("never")
                : new Outcome.Retry(ErrorClass.SERVER_ERROR, "not now"));
        record(old, "streamed", 2);
        relay.run(10);
        relay.leave();
        awaitReplicated(old, moved);
        moved.execute("SELECT setval('posthorn.event_seq', 1000)");
        moved.execute("ALTER SUBSCRIPTION " + moved.name() + " DISABLE");
        List<Long> replicated = allSeqs(moved);
        assertThat(rebase(moved)).isTrue();
        assertThat(allSeqs(moved)).isEqualTo(replicated);

        RecordingSink after = RecordingSink.oneAtATime();
        SteppedRelay here = start(moved, after);
        here.run(10);
        assertThat(payloads(after)).containsExactly("streamed");
        assertThat(after.received()).hasSize(1);
        here.leave();
    }

    /** The writers did not wait for the end of the replication, and the sequence began again. */
    @Test
    void whatWasWrittenInASavepointWhileMarksStillCameIsNotTakenForSettled() throws Exception {
        TestDatabase old = TestDatabase.create(former);
        spendTransactionIds(old);
        loseNumbers(old, 20);
        RecordingSink sink = RecordingSink.oneAtATime();
        SteppedRelay relay = start(old, sink);
        TestDatabase moved = replicateRunning(old, next);
        recordInSavepoint(moved, "key-0");
        record(old, "streamed", 7);
        relay.run(10);
        relay.leave();
        awaitReplicated(old, moved);
        moved.execute("ALTER SUBSCRIPTION " + moved.name() + " DISABLE");
        assertThat(rebase(moved)).isTrue();

        RecordingSink after = RecordingSink.oneAtATime();
        SteppedRelay here = start(moved, after);
        here.run(10);
        assertThat(after.received())
                .extracting(event -> event.event().key())
                .containsExactlyInAnyOrder("first key-0", "key-0");
        here.leave();
    }

    /** The event that it is about is gone from the log, but its number is not free. */
    @Test
    void aNumberThatADeadLetterHasIsNotGivenOutAgain() throws Exception {
        TestDatabase old = TestDatabase.create(former);
        spendTransactionIds(old);
        RecordingSink rejecting = RecordingSink.oneAtATime();
        rejecting.answering(event -> new Outcome.Reject("no"));
        SteppedRelay relay = start(old, rejecting);
        record(old, "rejected", 3);
        relay.run(10);
        relay.leave();
        assertThat(old.number("SELECT count(*) FROM posthorn.dead_letter")).isEqualTo(3);
        TestDatabase moved = replicate(old, next);
        awaitReplicated(old, moved);
        moved.execute("ALTER SUBSCRIPTION " + moved.name() + " DISABLE");
        // As retention does.
        moved.execute("DELETE FROM posthorn.event");
        record(moved, "written before the rebase", 2);
        assertThat(rebase(moved)).isTrue();

        RecordingSink after = RecordingSink.oneAtATime();
        SteppedRelay here = start(moved, after);
        here.run(10);
        record(moved, "written after the rebase", 2);
        here.run(10);
        assertThat(after.received()).hasSize(4);
        assertThat(after.receivedSeqs()).allMatch(seq -> seq > 3);
        here.leave();
        // Neither is the number of the letter itself, of a lane, of a subscription.
        moved.execute("INSERT INTO posthorn.subscription (name) VALUES ('another')");
        assertThat(moved.number("SELECT id FROM posthorn.subscription WHERE name = 'another'"))
                .isGreaterThan(moved.number("SELECT id FROM posthorn.subscription WHERE name = 'moving'"));
    }

    /** Another identifier, and every row and transaction id as it was: none of it was written anew. */
    @Test
    void afterAnUpgradeInPlaceNothingIsDeliveredAgain() throws Exception {
        TestDatabase database = TestDatabase.create(next);
        deliverInPart(database);
        List<Long> settled = settledSeqs(database);
        List<Long> all = allSeqs(database);
        database.execute("UPDATE posthorn.cluster SET system_identifier = 1");
        assertThat(rebase(database)).isTrue();
        assertThat(allSeqs(database)).isEqualTo(all);
        RecordingSink after = RecordingSink.oneAtATime();
        SteppedRelay relay = start(database, after);
        relay.run(20);
        List<Long> expected = new ArrayList<>(all);
        expected.removeAll(settled);
        assertThat(after.receivedSeqs()).containsExactlyInAnyOrderElementsOf(expected);
        relay.leave();
    }

    private static boolean rebase(TestDatabase database) {
        return new Rebase(database.dataSource(), SchemaName.DEFAULT).run();
    }

    /** Numbers that were drawn by transactions that rolled back: nothing keeps them from being given out again. */
    private static void loseNumbers(TestDatabase database, int count) {
        database.execute("SELECT setval('posthorn.event_seq', " + count + ")");
    }

    private static void recordInSavepoint(TestDatabase database, String key) throws SQLException {
        try (Connection connection = database.transaction()) {
            database.write(connection, "first " + key);
            connection.setSavepoint();
            database.write(connection, key);
            connection.commit();
        }
    }

    private static List<String> payloads(RecordingSink sink) {
        return sink.received().stream()
                .map(event -> new String(event.event().payload(), StandardCharsets.UTF_8).replace("\"", ""))
                .distinct()
                .toList();
    }

    /** Tables, their rows and what is written from now on; as always by this way, without sequences. */
    private static TestDatabase replicate(TestDatabase from, EmbeddedPostgres to) throws Exception {
        TestDatabase target = TestDatabase.createEmpty(to);
        Path dump = directory.resolve(from.name() + "-schema.sql");
        run(former, "pg_dump", "--schema-only", "--file", dump.toString(), from.name());
        run(to, "psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", dump.toString(), target.name());
        from.execute("CREATE PUBLICATION everything FOR ALL TABLES");
        target.execute("CREATE SUBSCRIPTION " + target.name() + " CONNECTION 'host=127.0.0.1 port=" + former.port()
                + " dbname=" + from.name() + " user=" + former.user() + " password=" + former.password()
                + "' PUBLICATION everything");
        return target;
    }

    /** Copied, and streamed from here on. */
    private static TestDatabase replicateRunning(TestDatabase from, EmbeddedPostgres to) throws Exception {
        from.execute("ALTER TABLE posthorn.settable_clock REPLICA IDENTITY FULL");
        TestDatabase target = replicate(from, to);
        awaitReplicated(from, target);
        return target;
    }

    /** Has the ids of the one cluster be greater than those of the other, by about so many. */
    private static void outrun(TestDatabase ahead, TestDatabase behind, long by) {
        String current = "SELECT pg_current_xact_id()::text::bigint";
        long missing = behind.number(current) + by - ahead.number(current);
        spendTransactionIds(missing > 0 ? ahead : behind, Math.abs(missing));
    }

    private static void awaitReplicated(TestDatabase from, TestDatabase to) {
        String lsn = from.value("SELECT pg_current_wal_lsn()");
        await().atMost(Duration.ofMinutes(3))
                .until(() -> to.number("SELECT count(*) FROM pg_subscription_rel WHERE srsubstate <> 'r'") == 0
                        && from.value("SELECT confirmed_flush_lsn >= '" + lsn + "' FROM pg_replication_slots WHERE"
                                        + " slot_name = '" + to.name() + "'")
                                .equals("t"));
    }

    /** Two lanes at different marks: one has delivered all, the other stands at its first event of the second batch. */
    private static void deliverInPart(TestDatabase database) {
        RecordingSink sink = RecordingSink.oneAtATime();
        record(database, "of the first batch", 20);
        SteppedRelay relay = start(database, sink);
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
                JOIN posthorn.lane_effective m ON m.lane_id = n.id
                WHERE (pg_visible_in_snapshot(e.txid, m.a) OR (pg_visible_in_snapshot(e.txid, m.b) AND e.seq <= m.seq))
                  AND NOT EXISTS (SELECT FROM posthorn.delivery d WHERE d.seq = e.seq)
                """);
    }

    private static SteppedRelay start(TestDatabase database, RecordingSink sink) {
        return start(database, sink, 10_000);
    }

    private static SteppedRelay start(TestDatabase database, RecordingSink sink, int inFlightLimit) {
        later = later.plus(Duration.ofHours(1));
        SettableClock clock = SettableClock.at(later, database.dataSource(), SchemaName.DEFAULT);
        Subscription subscription = Subscription.to("moving", sink)
                .lanes(2)
                .fromBeginning()
                .inFlightLimit(inFlightLimit)
                .build();
        Relay.Builder relay = Relay.builder(database.dataSource()).subscribe(subscription);
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
        spendTransactionIds(database, 20_000);
    }

    private static void spendTransactionIds(TestDatabase database, long count) {
        database.execute(
                "DO $$ BEGIN FOR i IN 1.." + count + " LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$");
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
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(String.join(" ", command)).isZero();
    }
}
