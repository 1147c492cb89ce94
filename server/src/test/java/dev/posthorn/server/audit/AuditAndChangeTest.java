package dev.posthorn.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An act and its entry are one transaction: each of them fails with the other. */
class AuditAndChangeTest {

    private static final String SUBSCRIPTION =
            "{\"description\": \"%s\", \"sink\": {\"kind\": \"http\", \"url\": \"http://127.0.0.1:9/x\"}}";

    private static final List<String> TABLES =
            List.of("hub_subscription", "subscription", "event_type", "api_key", "audit");

    private static TestHub hub;
    private static TestClient rest;

    /** What somebody does, and the table that it is done to. */
    private record Change(String name, String table, Function<TestClient, TestClient.Answer> call) {

        @Override
        public String toString() {
            return name;
        }
    }

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("posthorn.relay.enabled", "false"));
        TestClient local = hub.rest();
        local.put("/v1/subscriptions/old", SUBSCRIPTION.formatted("old"));
        local.put("/v1/subscriptions/paused", SUBSCRIPTION.formatted("paused"));
        local.post("/v1/subscriptions/paused/pause");
        local.put("/v1/event-types/old", "{}");
        String key = local.post("/v1/keys", "{\"name\": \"boss\", \"role\": \"admin\"}")
                .json()
                .path("key")
                .asString();
        rest = local.with("Authorization", "Bearer " + key);
        rest.post("/v1/keys", "{\"name\": \"old\", \"role\": \"viewer\"}");
        execute("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'planted'; END $$
                """);
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @AfterEach
    void refuseNothing() {
        TABLES.forEach(table -> execute("DROP TRIGGER IF EXISTS refuse ON posthorn." + table));
    }

    static Stream<Change> changes() {
        return Stream.of(
                new Change(
                        "create a subscription",
                        "hub_subscription",
                        call -> call.put("/v1/subscriptions/new", SUBSCRIPTION.formatted("new"))),
                new Change(
                        "change a subscription",
                        "hub_subscription",
                        call -> call.put("/v1/subscriptions/old", SUBSCRIPTION.formatted("changed"))),
                new Change("delete a subscription", "hub_subscription", call -> call.delete("/v1/subscriptions/old")),
                new Change("pause a subscription", "subscription", call -> call.post("/v1/subscriptions/old/pause")),
                new Change(
                        "resume a subscription", "subscription", call -> call.post("/v1/subscriptions/paused/resume")),
                new Change("register an event type", "event_type", call -> call.put("/v1/event-types/new", "{}")),
                new Change(
                        "change an event type",
                        "event_type",
                        call -> call.put("/v1/event-types/old", "{\"description\": \"changed\"}")),
                new Change("forget an event type", "event_type", call -> call.delete("/v1/event-types/old")),
                new Change(
                        "create a key",
                        "api_key",
                        call -> call.post("/v1/keys", "{\"name\": \"new\", \"role\": \"viewer\"}")),
                new Change("revoke a key", "api_key", call -> call.delete("/v1/keys/old")));
    }

    /** At the commit, when everything has been written already. */
    @ParameterizedTest
    @MethodSource("changes")
    void aChangeThatIsRolledBackLeavesNoEntry(Change change) {
        execute("CREATE CONSTRAINT TRIGGER refuse AFTER INSERT OR UPDATE OR DELETE ON posthorn." + change.table()
                + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()");
        assertFailsWithoutTrace(change);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void aChangeThatCannotBeWrittenDownIsNotMade(Change change) {
        execute("CREATE TRIGGER refuse BEFORE INSERT ON posthorn.audit FOR EACH ROW EXECUTE FUNCTION refuse()");
        assertFailsWithoutTrace(change);
    }

    private static void assertFailsWithoutTrace(Change change) {
        List<String> before = rows(change.table());
        List<String> entries = rows("audit");
        assertThat(change.call().apply(rest).status()).isEqualTo(500);
        assertThat(rows("audit")).isEqualTo(entries);
        assertThat(rows(change.table())).isEqualTo(before);
    }

    private static List<String> rows(String table) {
        return hub.bean(Database.class)
                .queries()
                .run(
                        "looking",
                        t -> t.list(
                                "SELECT r::text FROM posthorn." + table + " r ORDER BY 1",
                                Map.of(),
                                row -> row.getString(1)));
    }

    private static void execute(String sql) {
        hub.bean(Database.class).queries().run("planting", t -> t.update(sql, Map.of()));
    }
}
