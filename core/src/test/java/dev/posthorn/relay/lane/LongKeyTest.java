package dev.posthorn.relay.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.postgres.RowReader;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A key that is longer than what an index takes: older versions let it in, and so may whoever writes to the log by
 * hand. Every settle that had to do with one failed, for ever, and no other key of its lane was delivered again.
 */
class LongKeyTest {

    private static final RetryPolicy TWICE =
            RetryPolicy.of(2, Duration.ofSeconds(10)).jitter(0);

    /** A thousand characters of three bytes each, which no compression makes short. */
    private static final String RECORD = """
            INSERT INTO posthorn.event (id, source, type, version, key, content_type, payload, occurred_at)
            SELECT gen_random_uuid(), 'test', 'test.happened', 1, key, 'text/plain', '', now()
              FROM (SELECT string_agg(chr(19968 + ('x' || substr(md5(n::text), 1, 7))::bit(28)::int %% 20000), '') AS key
                      FROM generate_series(1, 1000) n) long
             CROSS JOIN generate_series(1, %d)
            """;

    private final RecordingSink sink = RecordingSink.oneAtATime();
    private final Instances instances = new Instances(sink);

    @Test
    void itIsSentAgainHoldsItsOwnEventsAndIsADeadLetterWhileOthersAreDelivered() {
        SteppedRelay relay = instances.start("a", s -> s.lanes(1).retry(TWICE).afterDeadLetter(AfterDeadLetter.HOLD));
        sink.answering(event -> isLong(event.event().key()) ? new Outcome.Retry("not yet") : Outcome.DELIVERED);
        instances.database.execute(RECORD.formatted(3));
        instances.database.record("other");
        relay.run(4);
        assertThat(states()).isEqualTo("WAITING, HELD, HELD");
        instances.database.record("another");
        run(relay, 12);
        assertThat(states()).isEqualTo("HELD, HELD");
        assertThat(instances.database.value("SELECT seq || ' ' || holds_key || length(key) FROM posthorn.dead_letter"))
                .isEqualTo("1 true1000");
        sink.answering(event -> Outcome.DELIVERED);
        instances.database.execute(
                "INSERT INTO posthorn.command (subscription_id, kind, key, event_id, seq,"
                        + " requested_by) SELECT subscription_id, 'RELEASE', key, event_id, seq, 'me' FROM posthorn.dead_letter");
        run(relay, 4);
        assertThat(states()).isNull();
        assertThat(sink.receivedSeqs()).isEqualTo(List.of(1L, 4L, 5L, 1L, 2L, 3L));
    }

    /** By the index, in the order of the places, however many of other keys there are: prepared on an empty table. */
    @Test
    void theFirstHeldEventsOfAKeyAreFoundByItsHash() throws SQLException {
        instances.start("a", 1);
        try (Connection connection = instances.database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode ="
                    + " force_generic_plan; PREPARE held (bigint, text[], bigint, int) AS "
                    + RowReader.HELD
                            .replaceFirst(":lane", "\\$1")
                            .replace(":keys", "$2")
                            .replace(":lane", "$3")
                            .replace(":limit", "$4"));
            statement.execute("EXECUTE held (1, '{a}', 1, 10)");
            instances.database.execute("""
                    INSERT INTO posthorn.event (id, source, type, version, key, content_type, payload, occurred_at)
                    SELECT gen_random_uuid(), 'test', 'test.happened', 1, 'k' || n % 1000, 'text/plain', '', now()
                      FROM generate_series(1, 20000) n;
                    INSERT INTO posthorn.delivery (lane_id, seq, event_id, key, place, state)
                    SELECT 1, seq, id, key, 100000 - seq, 'HELD' FROM posthorn.event""");
            List<Long> seqs = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery("EXECUTE held (1, '{k7,k8}', 1, 2)")) {
                while (rows.next()) {
                    seqs.add(rows.getLong("seq"));
                }
            }
            assertThat(seqs).containsExactly(19007L, 18007L, 19008L, 18008L);
            String plan = lines(statement, "EXPLAIN (ANALYZE, BUFFERS) EXECUTE held (1, '{k7}', 1, 2)");
            assertThat(plan)
                    .contains("Index Scan using delivery_key")
                    .containsPattern("Index Cond: \\(\\(lane_id = .*\\) AND \\(hashtextextended\\(key")
                    .doesNotContain("Sort Key: delivery.place");
        }
    }

    private static boolean isLong(String key) {
        return key != null && key.length() == 1000;
    }

    private static String lines(Statement statement, String sql) throws SQLException {
        StringBuilder lines = new StringBuilder();
        try (ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                lines.append(rows.getString(1)).append('\n');
            }
        }
        return lines.toString();
    }

    private String states() {
        return instances.database.value("SELECT string_agg(state, ', ' ORDER BY seq) FROM posthorn.delivery");
    }

    private void run(SteppedRelay relay, int seconds) {
        for (int i = 0; i < seconds; i++) {
            relay.pass().run(2);
            instances.clock.advance(Duration.ofMillis(800));
        }
    }
}
