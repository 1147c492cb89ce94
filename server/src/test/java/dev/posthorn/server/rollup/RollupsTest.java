package dev.posthorn.server.rollup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.Queries;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RollupsTest {

    private static final Instant NOW = Instant.parse("2040-01-01T12:00:05Z");
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final UUID ONE = UUID.randomUUID();
    private static final UUID OTHER = UUID.randomUUID();

    private static TestHub hub;
    private static Queries queries;

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("posthorn.relay.enabled", false));
        queries = hub.bean(Database.class).queries();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @BeforeEach
    void clear() {
        queries.run("clearing", t -> t.update("DELETE FROM posthorn.hub_rollup", Map.of()));
        queries.run("clearing", t -> t.update("DELETE FROM posthorn.subscription_rollup", Map.of()));
    }

    private static void row(UUID writer, int secondsAgo, long since, long seq, long delivered) {
        queries.run(
                "writing",
                t -> t.update(
                        "INSERT INTO posthorn.hub_rollup VALUES (:at, :writer, :since, :seq, :delivered, 0, 0)",
                        Map.of(
                                "at", NOW.minusSeconds(5).minusSeconds(secondsAgo),
                                "writer", writer,
                                "since", since,
                                "seq", seq,
                                "delivered", delivered)));
    }

    @Test
    void whatIsDoneIsAddedAndWhatIsRecordedCountsOnceHoweverManyHubsSeeIt() {
        row(ONE, 30, 0, 100, 7);
        row(OTHER, 30, 90, 98, 1);
        row(OTHER, 20, 98, 150, 0);
        row(ONE, 20, 100, 149, 2);
        row(ONE, 10, 149, 160, 0);
        Rollups.Course course = hub.bean(Rollups.class).all(NOW, MINUTE);
        assertThat(course.from()).isEqualTo(Instant.parse("2040-01-01T11:59:00Z"));
        assertThat(course.recorded()).containsExactly(0L, 0L, 0L, 100L, 50L, 10L);
        assertThat(course.done().stream().map(Work::delivered)).containsExactly(0L, 0L, 0L, 8L, 2L, 0L);
    }

    @Test
    void whatWasRecordedWhileNoHubRanIsInNoStep() {
        row(ONE, 40, 0, 100, 0);
        row(OTHER, 20, 5_000, 5_003, 0);
        assertThat(hub.bean(Rollups.class).all(NOW, MINUTE).recorded()).containsExactly(0L, 0L, 100L, 0L, 3L, 0L);
    }

    @Test
    void aHubWritesOnlyWhatThereIsToTell() {
        RollupStore store = new RollupStore(queries);
        store.write(ONE, null, Map.of());
        assertThat(rows()).isEmpty();
        RollupStore.Written first = store.write(ONE, null, Map.of("nobody", new Work(3, 2, 1)));
        assertThat(rows()).containsExactly("3 2 1");
        assertThat(first.untilNext()).isPositive().isLessThanOrEqualTo(Duration.ofMillis(10_500));
        store.write(ONE, first.seq(), Map.of("nobody", new Work(1, 0, 0)));
        store.write(ONE, first.seq(), Map.of());
        assertThat(rows().stream()
                        .mapToInt(row -> Integer.parseInt(row.substring(0, row.indexOf(' '))))
                        .sum())
                .isEqualTo(4);
    }

    private static List<String> rows() {
        return queries.run(
                "reading",
                t -> t.list(
                        "SELECT concat_ws(' ', delivered, failed, dead_lettered) FROM posthorn.hub_rollup",
                        Map.of(),
                        row -> row.getString(1)));
    }

    @Test
    void whatIsOldIsForgotten() {
        queries.run("writing", t -> t.update("""
                INSERT INTO posthorn.hub_rollup
                SELECT posthorn.clock() - age * interval '1 hour', gen_random_uuid(), 0, 0, age, 0, 0
                  FROM unnest(ARRAY[1, 47, 49]) AS age
                """, Map.of()));
        queries.run("writing", t -> t.update("""
                INSERT INTO posthorn.subscription_rollup
                SELECT 1, posthorn.clock() - age * interval '1 hour', gen_random_uuid(), age, 0, 0
                  FROM unnest(ARRAY[1, 24, 26]) AS age
                """, Map.of()));
        new RollupStore(queries).trim();
        assertThat(rows()).containsExactlyInAnyOrder("1 0 0", "47 0 0");
        assertThat(queries.<List<Integer>>run(
                        "reading",
                        t -> t.list(
                                "SELECT delivered FROM posthorn.subscription_rollup", Map.of(), row -> row.getInt(1))))
                .containsExactlyInAnyOrder(1, 24);
    }

    @Test
    void whatCouldNotBeWrittenIsWrittenLater() {
        Tally tally = new Tally();
        tally.delivered("a", "a/0", 3);
        Map<String, Work> taken = tally.take();
        assertThat(taken).containsEntry("a", new Work(3, 0, 0));
        assertThat(tally.take()).isEmpty();
        taken.forEach(tally::add);
        tally.delivered("a", "a/0", 1);
        assertThat(tally.take()).containsEntry("a", new Work(4, 0, 0));
    }
}
