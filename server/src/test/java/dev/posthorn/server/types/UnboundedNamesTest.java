package dev.posthorn.server.types;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Publishers choose the names of types and sources, and may choose a new one for every event. */
class UnboundedNamesTest {

    private static TestHub hub;

    @BeforeAll
    static void start() {
        hub = TestHub.start();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    private static String event(String type, String source, String id) {
        return "{\"source\":\"%s\",\"id\":\"%s\",\"type\":\"%s\",\"data\":1}".formatted(source, id, type);
    }

    private static Answer publish(String events) {
        return hub.rest().post("/v1/events", events);
    }

    private static void flood(int from, int to) {
        String batch = IntStream.range(from, to)
                .mapToObj(i -> event("flood." + i, "flood-" + i, "f"))
                .collect(Collectors.joining(",", "[", "]"));
        assertThat(publish(batch).status()).isEqualTo(202);
    }

    private static long run(String sql) throws SQLException {
        try (Connection connection = hub.bean(Database.class).calls().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Test
    void typesThatOnlyTheirEventsMadeKnownAreCountedAndOthersStayAsTheyWere() throws SQLException {
        assertThat(hub.rest()
                        .put("/v1/event-types/ruled", "{\"jsonSchema\": {\"type\": \"string\"}}")
                        .status())
                .isEqualTo(201);
        for (int i = 0; i < 3; i++) {
            flood(i * 4_000, (i + 1) * 4_000);
        }
        assertThat(run("SELECT count(*) FROM posthorn.event_type WHERE seen")).isEqualTo(NameTable.TYPES.most());

        // A machine that is busy with other things may need to be asked more than once.
        AtomicInteger names = new AtomicInteger();
        await().atMost(60, SECONDS).until(() -> isTakenWithinASecond("new." + names.incrementAndGet()));
        assertThat(publish(event("ruled", "valid", "2")).status()).isEqualTo(400);
        assertThat(hub.rest()
                        .put("/v1/event-types/late", "{\"jsonSchema\": {\"type\": \"string\"}}")
                        .status())
                .isEqualTo(201);
        assertThat(publish(event("late", "valid", "3")).status()).isEqualTo(400);
    }

    private static boolean isTakenWithinASecond(String type) {
        long begun = System.nanoTime();
        assertThat(hub.rest().get("/actuator/health/liveness").status()).isEqualTo(200);
        assertThat(publish(event(type, "valid", type)).status()).isEqualTo(202);
        return System.nanoTime() - begun < SECONDS.toNanos(1);
    }

    @Test
    void anEventIsFoundByItsOwnIdThoughManySourcesCameAfterIt() throws SQLException {
        publish(event("found", "first", "own-1"));
        run("""
                WITH more AS (INSERT INTO posthorn.event_source (name)
                              SELECT 'later-' || i FROM generate_series(1, 20000) i RETURNING 1)
                SELECT count(*) FROM more
                """);
        Answer found = hub.rest().get("/v1/events/own-1");
        assertThat(found.status()).as(found.text()).isEqualTo(200);
    }

    @Test
    void aNameGoesWhenNoneOfItsEventsIsLeft() throws SQLException {
        assertThat(hub.rest().put("/v1/event-types/defined", "{}").status()).isEqualTo(201);
        publish(event("buried", "buried", "b-1"));
        run("""
                WITH types AS (INSERT INTO posthorn.event_type (name) VALUES ('gone'), ('back')),
                     sources AS (INSERT INTO posthorn.event_source (name) VALUES ('gone'), ('back')),
                     nobody AS (INSERT INTO posthorn.subscription (name) VALUES ('nobody') RETURNING id),
                     letter AS (INSERT INTO posthorn.dead_letter (
                                    subscription_id, txid, seq, event_id, source, type, version, content_type, payload,
                                    occurred_at, recorded_at, attempts, error_class, error_message, cause,
                                    first_failed_at, last_failed_at, holds_key)
                                SELECT nobody.id, txid, seq, event.id, source, type, version, content_type, payload,
                                       occurred_at, created_at, 1, 'REJECTED', 'no', 'no', created_at, created_at, false
                                  FROM posthorn.event, nobody WHERE source = 'buried')
                SELECT 1
                """);
        longAgo("event_type");
        longAgo("event_source");
        publish(event("back", "back", "1"));

        hub.bean(NameTrimmer.class).runOnce();

        assertThat(isThere("event_type", "gone")).isFalse();
        assertThat(isThere("event_source", "gone")).isFalse();
        assertThat(isThere("event_type", "back")).as("another event came").isTrue();
        assertThat(isThere("event_source", "back")).as("another event came").isTrue();
        assertThat(isThere("event_type", "buried")).as("one is a dead letter").isTrue();
        assertThat(isThere("event_source", "buried")).as("one is a dead letter").isTrue();
        assertThat(isThere("event_type", "defined")).as("somebody put it").isTrue();
    }

    private static void longAgo(String table) throws SQLException {
        run("WITH old AS (UPDATE posthorn." + table + " SET seen_at = clock_timestamp() - interval '3 days'"
                + " WHERE name IN ('gone', 'back', 'buried', 'defined')) SELECT 1");
    }

    private static boolean isThere(String table, String name) throws SQLException {
        return run("SELECT count(*) FROM posthorn." + table + " WHERE name = '" + name + "'") == 1;
    }

    @Test
    void onlyTheLatestNamesAreRemembered() {
        SeenNames names = new SeenNames(100);
        names.addAll(IntStream.range(0, 10_000).mapToObj(Integer::toString).toList());
        assertThat(names.size()).isBetween(100, 200);
        assertThat(names.contains("9999")).isTrue();
        assertThat(names.contains("1")).isFalse();
        names.clear();
        assertThat(names.contains("9999")).isFalse();
    }

    /** So that the table learns which are still in use. */
    @Test
    void namesAreRememberedForHalfADay() {
        AtomicLong nanos = new AtomicLong();
        SeenNames names = new SeenNames(100, nanos::get);
        names.addAll(List.of("a"));
        nanos.addAndGet(Duration.ofHours(11).toNanos());
        assertThat(names.contains("a")).isTrue();
        nanos.addAndGet(Duration.ofHours(2).toNanos());
        assertThat(names.contains("a")).isFalse();
    }
}
