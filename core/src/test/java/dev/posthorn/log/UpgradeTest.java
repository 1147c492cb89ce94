package dev.posthorn.log;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.event.Event;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscription;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testing.SteppedRelay;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an older version left behind is taken up. */
class UpgradeTest {

    private static final String GENERATIONS = """
            SELECT string_agg(format('%s %s: %s lanes, %s %s, %s %s %s', s.name, g.number, g.lanes, g.types,
                                     g.filter_known, g.era, g.start_a, g.start_b), '; ' ORDER BY s.name, g.number)
              FROM posthorn.generation g JOIN posthorn.subscription s ON s.id = g.subscription_id
            """;

    private final TestDatabase database = TestDatabase.createEmpty();
    private final ExecutorService pool = Executors.newSingleThreadExecutor();

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    @Test
    void lanesAndAPendingChangeOfVersionTwoBecomeGenerations() {
        installVersionTwo();
        database.execute("UPDATE posthorn.cluster SET era = 2, floor_seq = 7");
        new Schema(SchemaName.DEFAULT).install(database.dataSource());
        assertThat(database.value(GENERATIONS))
                .isEqualTo("calm 3: 1 lanes, {} f, 2 1:1: 1:1:; changing 1: 2 lanes, {} f, 2 1:1: 1:1:;"
                        + " changing 2: 3 lanes, {} f,   ");
        assertThat(database.value("SELECT number || ' ' || floor_seq FROM posthorn.era"))
                .isEqualTo("2 7");
    }

    /** Its instances went by their own filter, which was stored nowhere: it must not deliver everything meanwhile. */
    @Test
    void theFilterThatWasNeverStoredIsThatOfTheFirstInstanceToStart() {
        installVersionTwo();
        record("wanted.thing", "7");
        record("wanted.thing", "8");
        record("other.thing", "7");
        new Schema(SchemaName.DEFAULT).install(database.dataSource());

        SettableClock clock =
                SettableClock.at(Instant.parse("2026-01-01T00:00:00Z"), database.dataSource(), SchemaName.DEFAULT);
        RecordingSink sink = RecordingSink.oneAtATime();
        Filter filter = Filter.types("wanted.*").header("tenant", "7");
        SteppedRelay relay = SteppedRelay.of(
                Relay.builder(database.dataSource())
                        .subscribe(Subscription.to("changing", sink)
                                .lanes(3)
                                .filter(filter)
                                .build()),
                clock);
        for (int i = 0; i < 6; i++) {
            relay.pass().run(3);
        }
        record("wanted.thing", "7");
        record("wanted.thing", "8");
        record("other.thing", "7");
        relay.run(3);
        assertThat(new Subscriptions(database.dataSource(), SchemaName.DEFAULT)
                        .list()
                        .get(1))
                .isEqualTo(new Subscriptions.Stored("changing", 2, 3, filter, false, null, null));
        assertThat(sink.received().stream().map(e -> e.event().type())).containsExactly("wanted.thing", "wanted.thing");
    }

    @Test
    void filtersOfVersionSixWantAllHeadersAndWhoeverMayReadTheStatusStillMay() {
        upgradeFromSix(database);
    }

    @Test
    void versionSixIsUpgradedOnTheOldestPostgresql() {
        upgradeFromSix(TestDatabase.createEmptyOnOldest());
    }

    private static void upgradeFromSix(TestDatabase database) {
        new Schema(SchemaName.DEFAULT, Schema.FILES.subList(0, 6)).install(database.dataSource());
        TroubleRows rows = new TroubleRows(database);
        long subscription = rows.subscriptionAt("billing", rows.snapshot());
        database.execute("UPDATE posthorn.generation SET types = '{order.%}'");
        database.execute("GRANT SELECT ON posthorn.event_status TO pg_monitor");
        long wanted = rows.event("order.placed", "k");
        rows.event("user.made", "k");
        new Schema(SchemaName.DEFAULT).install(database.dataSource());

        assertThat(database.value("SELECT headers FROM posthorn.generation")).isEqualTo("{}");
        assertThat(database.value("SELECT string_agg(seq || ' ' || status, ', ') FROM posthorn.event_status"))
                .isEqualTo(wanted + " PENDING");
        assertThat(database.value("SELECT has_table_privilege('pg_monitor', 'posthorn.event_status', 'SELECT')"))
                .isEqualTo("t");
        assertThat(database.number("SELECT count(*) FROM pg_proc WHERE proname = 'is_wanted'"))
                .isOne();
        database.execute("UPDATE posthorn.generation SET headers = '{\"tenant\": \"8\"}' WHERE subscription_id = "
                + subscription);
        assertThat(database.number("SELECT count(*) FROM posthorn.event_status"))
                .isZero();
    }

    /** What an index of version twelve took, it took because it is easily compressed; the log took anything. */
    @Test
    void longKeysOfVersionTwelveAreFoundByTheirHash() throws Exception {
        List<String> before = Schema.FILES.subList(0, Schema.FILES.indexOf("012_dead_letters.sql") + 1);
        new Schema(SchemaName.DEFAULT, before).install(database.dataSource());
        TroubleRows rows = new TroubleRows(database);
        long subscription = rows.subscriptionAt("test", rows.snapshot());
        database.execute("""
                INSERT INTO posthorn.event (id, source, type, version, key, content_type, payload, occurred_at)
                SELECT gen_random_uuid(), 'test', 'test.happened', 1, repeat('\u6f22', 1000), 'a/b', '', now()
                  FROM generate_series(1, 4);
                INSERT INTO posthorn.event (id, source, type, version, key, content_type, payload, occurred_at)
                SELECT gen_random_uuid(), 'test', 'test.happened', 1, string_agg(chr(19968 + n * n % 20000), ''), 'a/b', '',
                       now() FROM generate_series(1, 1024) n
                """);
        rows.delivery(subscription, 1, "WAITING", 1);
        rows.delivery(subscription, 2, "HELD", 0);
        rows.delivery(subscription, 3, "HELD", 0);
        rows.deadLetter(subscription, 4, "rejected", "no", "no");
        rows.delivery(subscription, 5, "WAITING", 1);
        rows.mark(subscription, rows.snapshot(), rows.snapshot(), 5);
        database.execute("UPDATE posthorn.lane_mark SET row_seq = 5");
        try (Connection settling = database.transaction();
                Statement statement = settling.createStatement()) {
            statement.execute("UPDATE posthorn.delivery SET attempts = 1 WHERE seq = 5");
            Future<?> installed = pool.submit(() -> new Schema(SchemaName.DEFAULT).install(database.dataSource()));
            assertThatThrownBy(() -> installed.get(100, MILLISECONDS))
                    .as("a settle is under way")
                    .isInstanceOf(TimeoutException.class);
            settling.commit();
            installed.get(30, SECONDS);
        }

        SettableClock clock =
                SettableClock.at(Instant.parse("2031-01-01T00:00:00Z"), database.dataSource(), SchemaName.DEFAULT);
        RecordingSink sink = RecordingSink.oneAtATime();
        Subscription settings = Subscription.to("test", sink).lanes(1).build();
        SteppedRelay.of(Relay.builder(database.dataSource()).subscribe(settings), clock)
                .pass()
                .run(8);
        assertThat(sink.receivedSeqs())
                .containsExactlyInAnyOrder(1L, 2L, 3L, 5L)
                .containsSubsequence(1L, 2L, 3L);
    }

    private void installVersionTwo() {
        new Schema(SchemaName.DEFAULT, Schema.FILES.subList(0, 2)).install(database.dataSource());
        database.execute("""
                INSERT INTO posthorn.subscription (name, generation, lanes, pending_lanes)
                VALUES ('calm', 3, 1, NULL), ('changing', 1, 2, 3);
                INSERT INTO posthorn.lane (subscription_id, generation, index) VALUES (1, 3, 0), (2, 1, 0), (2, 1, 1);
                INSERT INTO posthorn.lane_lease (lane_id) SELECT id FROM posthorn.lane;
                INSERT INTO posthorn.lane_mark (lane_id, a, b)
                SELECT id, pg_current_snapshot(), pg_current_snapshot() FROM posthorn.lane;
                """);
    }

    private void record(String type, String tenant) {
        database.record(Event.builder()
                .source("test")
                .type(type)
                .key("k")
                .header("tenant", tenant)
                .json("{}")
                .build());
    }
}
