package dev.posthorn.server.types;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
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
        assertThat(run("SELECT count(*) FROM posthorn.event_type WHERE seen")).isEqualTo(EventTypeStore.MOST_SEEN);

        long begun = System.nanoTime();
        assertThat(hub.rest().get("/actuator/health/liveness").status()).isEqualTo(200);
        assertThat(publish(event("new", "valid", "1")).status()).isEqualTo(202);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(1));
        assertThat(publish(event("ruled", "valid", "2")).status()).isEqualTo(400);
        assertThat(hub.rest()
                        .put("/v1/event-types/late", "{\"jsonSchema\": {\"type\": \"string\"}}")
                        .status())
                .isEqualTo(201);
        assertThat(publish(event("late", "valid", "3")).status()).isEqualTo(400);
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
    void onlyTheLatestNamesAreRemembered() {
        SeenNames names = new SeenNames(100);
        names.addAll(IntStream.range(0, 10_000).mapToObj(Integer::toString).toList());
        assertThat(names.size()).isBetween(100, 200);
        assertThat(names.contains("9999")).isTrue();
        assertThat(names.contains("1")).isFalse();
        names.clear();
        assertThat(names.contains("9999")).isFalse();
    }
}
