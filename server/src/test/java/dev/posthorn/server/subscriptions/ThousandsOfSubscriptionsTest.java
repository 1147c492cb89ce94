package dev.posthorn.server.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.event.Event;
import dev.posthorn.metrics.SubscriptionMetrics;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What a hub asks its database does not depend on how many subscriptions there are. The statements are counted, not timed: a
 * statement for each subscription, or all rows for one, would be thousands here. Nothing is delivered.
 */
class ThousandsOfSubscriptionsTest {

    private static final int COUNT = 3_000;
    private static final String PATH = "/v1/subscriptions";

    /** What a hub asks by itself while a call is made, on a machine that is slow. */
    private static final long OF_ITS_OWN = 60;

    private static EmbeddedPostgres server;
    private static TestHub hub;
    private static TestClient rest;

    @BeforeAll
    static void start() throws SQLException {
        server = EmbeddedPostgres.builder()
                .setting("shared_preload_libraries", "pg_stat_statements")
                .start();
        execute("CREATE EXTENSION pg_stat_statements");
        hub = TestHub.startOn(
                server.jdbcUrl(),
                Map.of(
                        "posthorn.database.user", server.user(),
                        "posthorn.database.password", server.password(),
                        "posthorn.relay.enabled", "false"));
        rest = hub.rest();
        for (int from = 0; from < COUNT; from += 1_000) {
            String all = IntStream.range(from, from + 1_000)
                    .mapToObj(i -> document(i, "\"name\": \"%s\", ".formatted(name(i))))
                    .collect(Collectors.joining(","));
            Answer made = rest.post(PATH, "{\"subscriptions\": [" + all + "]}");
            assertThat(made.status()).as(made.text()).isEqualTo(201);
        }
    }

    @AfterAll
    static void stop() {
        hub.close();
        server.close();
    }

    private static String name(int i) {
        return "s%05d".formatted(i);
    }

    private static String document(int i, String more) {
        return "{" + more + "\"sink\": {\"kind\": \"http\", \"url\": \"http://127.0.0.1:9/" + i + "\"},"
                + " \"filter\": {\"types\": [\"type." + i + "\"]}, \"lanes\": 2}";
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /**
     * What was asked of the database.
     *
     * @param documents how many rows were read or written by those about documents of subscriptions
     */
    private record Asked(long statements, long documents) {}

    private static Asked asked(Runnable work) throws SQLException {
        Asked before = asked();
        work.run();
        Asked after = asked();
        return new Asked(after.statements - before.statements, after.documents - before.documents);
    }

    private static Asked asked() throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet sums = statement.executeQuery("""
                        SELECT sum(calls), sum(rows) FILTER (WHERE query LIKE '%hub_subscription%')
                          FROM pg_stat_statements WHERE query LIKE '%posthorn%'
                        """)) {
            sums.next();
            return new Asked(sums.getLong(1), sums.getLong(2));
        }
    }

    private static Answer ok(Answer answer) {
        assertThat(answer.status()).as(answer.text()).isBetween(200, 201);
        return answer;
    }

    @Test
    void aChangeReadsWhatItChanges() throws SQLException {
        Asked made = asked(() -> ok(rest.put(PATH + "/one-more", document(1, ""))));
        assertThat(made.statements()).isLessThan(40 + OF_ITS_OWN);
        assertThat(made.documents()).isLessThan(20);
        Asked changed = asked(() -> ok(rest.put(PATH + "/one-more", document(2, ""))));
        assertThat(changed.statements()).isLessThan(40 + OF_ITS_OWN);
        assertThat(changed.documents()).isLessThan(20);
        Asked deleted =
                asked(() -> assertThat(rest.delete(PATH + "/one-more").status()).isEqualTo(204));
        assertThat(deleted.statements()).isLessThan(60 + OF_ITS_OWN);
        assertThat(deleted.documents()).isLessThan(20);
        assertThat(hub.bean(SubscriptionKeeper.class).isServedAt(name(COUNT / 2), 1))
                .as("the others are still served")
                .isTrue();
    }

    @Test
    void aThousandAtOnceTakeAFewStatementsEach() throws SQLException {
        String all = IntStream.range(0, 500)
                .mapToObj(i -> document(i, "\"name\": \"batch-%d\", ".formatted(i)))
                .collect(Collectors.joining(","));
        Asked made = asked(() -> ok(rest.post(PATH, "{\"subscriptions\": [" + all + "]}")));
        assertThat(made.statements()).isLessThan(3 * 500 + OF_ITS_OWN);
    }

    @Test
    void listsStatusAndCountsAskForAPage() throws SQLException {
        for (String page : new String[] {
            PATH + "?limit=50", "/v1/status?limit=50", "/v1/status/counts?limit=50", "/v1/status/stuck?limit=50"
        }) {
            Asked asked = asked(() -> ok(rest.get(page)));
            assertThat(asked.statements()).as(page).isLessThan(20 + OF_ITS_OWN);
            assertThat(asked.documents()).as(page).isLessThan(200);
        }
    }

    @Test
    void theStatusIsReadPageByPage() {
        int seen = 0;
        String after = "";
        do {
            var page = ok(rest.get("/v1/status?limit=1000" + after)).json();
            assertThat(page.path("subscriptions").path(0).path("lanes")).hasSize(2);
            seen += page.path("subscriptions").size();
            after = page.has("next") ? "&after=" + page.path("next").stringValue() : "";
        } while (!after.isEmpty());
        assertThat(seen).isGreaterThanOrEqualTo(COUNT);
    }

    @Test
    void anEventsPageNamesThoseWhoWantedIt() throws SQLException {
        Event event = Event.builder()
                .source("shop")
                .type("type.1234")
                .key("k")
                .json("{}")
                .build();
        UUID id = hub.record(event);
        Asked asked = asked(() -> {
            var page = ok(rest.get("/v1/events/" + id)).json();
            assertThat(page.path("subscriptions")).as(page.toString()).hasSize(1);
            assertThat(page.path("subscriptions").path(0).toString()).contains(name(1234));
        });
        assertThat(asked.statements()).isLessThan(20 + OF_ITS_OWN);
    }

    @Test
    void metricsAreReadByAHandfulOfStatements() throws SQLException {
        hub.record(Event.builder()
                .source("shop")
                .type("type.77")
                .key("k")
                .json("{}")
                .build());
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        SubscriptionMetrics metrics = SubscriptionMetrics.builder(server.dataSource(), registry)
                .slowInterval(Duration.ZERO)
                .build();
        Asked asked = asked(metrics::read);
        assertThat(asked.statements()).isLessThan(20 + OF_ITS_OWN);
        assertThat(registry.get("posthorn.pending")
                        .tag("subscription", name(77))
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(registry.get("posthorn.pending")
                        .tag("subscription", name(78))
                        .gauge()
                        .value())
                .isZero();
        assertThat(registry.get("posthorn.lanes")
                        .tag("subscription", name(78))
                        .gauge()
                        .value())
                .isEqualTo(2);
    }
}
