package dev.posthorn.faults.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.Outbox;
import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Servers;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testing.SteppedRelay;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stale owner, with answers to settle, comes back after another one has taken over. */
class FenceTest {

    /** A lane with a row, due in years, settles by itself. */
    private static final String KEEP_APART = """
            INSERT INTO posthorn.delivery (lane_id, seq, event_id, key, state, due_at)
            SELECT lane_id, 0, gen_random_uuid(), 'apart', 'DEFERRED', '2099-01-01' FROM posthorn.lane_mark
            """;

    private final RecordingSink staleSink = RecordingSink.pipelined();
    private final RecordingSink sink = RecordingSink.pipelined();
    private int counter;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStaleOwnerSettlesNothing(boolean riding) throws Exception {
        assertThat(settledAfterTheStaleOwnerCameBack(riding, false)).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStaleOwnerSettlesNothingAfterAnotherOneHasGoneFurther(boolean riding) throws Exception {
        assertThat(settledAfterTheStaleOwnerCameBack(riding, true)).isEqualTo(10);
    }

    private long settledAfterTheStaleOwnerCameBack(boolean riding, boolean heirGoesFurther) throws Exception {
        Database database = Database.create(Servers.newest(), 1);
        SettableClock clock =
                SettableClock.at(Instant.parse("2030-01-01T00:00:00Z"), database.dataSource(), SchemaName.DEFAULT);
        try (SteppedRelay stale = relay(database, clock, "stale", staleSink).pass()) {
            if (!riding) {
                database.execute(KEEP_APART);
            }
            staleSink.hold();
            record(database, 5);
            stale.run(3);
            assertThat(staleSink.waiting()).hasSize(5);

            clock.advance(Duration.ofMinutes(5));
            try (SteppedRelay heir = relay(database, clock, "heir", sink).pass()) {
                record(database, 5);
                if (heirGoesFurther) {
                    heir.run(5);
                    assertThat(sink.received()).hasSize(10);
                    assertThat(settled(database)).isEqualTo(10);
                }

                Lane lane = stale.lanes().get(0);
                staleSink.answerAll();
                stale.step();
                assertThat(lane.state()).isEqualTo(Lane.State.LOST);
            }
        }
        return settled(database);
    }

    private static SteppedRelay relay(Database database, SettableClock clock, String instance, RecordingSink sink) {
        Subscription subscription =
                Subscription.to("fenced", sink).lanes(1).fromBeginning().build();
        return SteppedRelay.of(
                Relay.builder(database.dataSource()).instance(instance).subscribe(subscription), clock);
    }

    private void record(Database database, int events) throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < events; i++) {
                Outbox.create().record(connection, Change.event(0, ++counter));
            }
            connection.commit();
        }
    }

    private static long settled(Database database) throws Exception {
        return Long.parseLong(database.column("""
                SELECT count(*) FROM posthorn.event e CROSS JOIN posthorn.lane_effective m
                 WHERE pg_visible_in_snapshot(e.txid, m.a) OR (pg_visible_in_snapshot(e.txid, m.b) AND e.seq <= m.seq)
                """).get(0));
    }
}
