package dev.posthorn.log;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.subscription.Subscription;
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

    private static final List<String> FILES = List.of("001_note.sql", "002_author.sql", "003_fails.sql");

    private final TestDatabase database = TestDatabase.createEmpty();
    private final ExecutorService pool = Executors.newSingleThreadExecutor();

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    @Test
    void aNewFileIsRunOnWhatTheOlderOnesMade() {
        upgrade(database);
    }

    @Test
    void aNewFileIsRunOnTheOldestPostgresql() {
        upgrade(TestDatabase.createEmptyOnOldest());
    }

    private static void upgrade(TestDatabase database) {
        installNotes(database);
        String installed = database.value("SELECT installed_at FROM posthorn.note_version");
        assertThatThrownBy(() -> notes(2).verify(database.dataSource()))
                .hasMessageStartingWith("schema posthorn has version 1; this library needs version 2. ");

        notes(2).install(database.dataSource());
        notes(2).verify(database.dataSource());
        assertThat(database.value("SELECT string_agg(author || ' ' || text, ', ' ORDER BY id) FROM posthorn.note"))
                .isEqualTo("ann hello, nobody on its own");
        assertThat(database.value("SELECT string_agg(version || ' ' || file, ', ') FROM posthorn.note_version"))
                .isEqualTo("1 001_note.sql, 2 002_author.sql");
        assertThat(database.value("SELECT installed_at FROM posthorn.note_version WHERE version = 1"))
                .isEqualTo(installed);
        assertThatThrownBy(() -> notes(1).install(database.dataSource()))
                .hasMessageContaining("has version 2, made by a newer Posthorn");
    }

    @Test
    void anUpgradeWaitsForWhoeverUsesItsTable() throws Exception {
        installNotes(database);
        try (Connection other = database.transaction();
                Statement statement = other.createStatement()) {
            statement.execute("UPDATE posthorn.note SET text = 'bob: hello' WHERE id = 1");
            Future<?> installed = pool.submit(() -> notes(2).install(database.dataSource()));
            assertThatThrownBy(() -> installed.get(100, MILLISECONDS)).isInstanceOf(TimeoutException.class);
            other.commit();
            installed.get(120, SECONDS);
        }
        assertThat(database.value("SELECT author FROM posthorn.note WHERE id = 1"))
                .isEqualTo("bob");
    }

    @Test
    void anUpgradeThatFailsLeavesEverythingAsItWas() {
        installNotes(database);
        assertThatThrownBy(() -> notes(3).install(database.dataSource()))
                .isInstanceOf(PosthornException.class)
                .hasStackTraceContaining("no_such_table");
        notes(1).verify(database.dataSource());
        assertThat(database.value("SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute"
                        + " WHERE attrelid = 'posthorn.note'::regclass AND attnum > 0"))
                .isEqualTo("id text");
        notes(2).install(database.dataSource());
    }

    /** As long as nobody knows it, the relay must not deliver everything. */
    @Test
    void aFilterThatIsNotKnownIsThatOfTheFirstInstanceToStart() {
        new Schema(SchemaName.DEFAULT).install(database.dataSource());
        TroubleRows rows = new TroubleRows(database);
        long subscription = rows.subscription("changing");
        rows.generation(subscription, 1, 2, TroubleRows.NOTHING, ", filter_known = false");
        rows.generation(subscription, 2, 3, null, ", filter_known = false, era = NULL");
        rows.lane(subscription, 1, 0, rows.snapshot(), rows.snapshot(), 0);
        rows.lane(subscription, 1, 1, rows.snapshot(), rows.snapshot(), 0);
        record("wanted.thing", "7");
        record("wanted.thing", "8");
        record("other.thing", "7");

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
                        .get(0))
                .isEqualTo(new Subscriptions.Stored("changing", 2, 3, filter, false, null, null));
        assertThat(sink.received().stream().map(e -> e.event().type())).containsExactly("wanted.thing", "wanted.thing");
    }

    private static void installNotes(TestDatabase database) {
        notes(1).install(database.dataSource());
        database.execute("INSERT INTO posthorn.note VALUES (1, 'ann: hello'), (2, 'on its own')");
    }

    private static Schema notes(int version) {
        return new Schema(
                SchemaName.DEFAULT,
                new Schema.Part("note_version", "/dev/posthorn/log/upgrade/", FILES.subList(0, version)));
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
