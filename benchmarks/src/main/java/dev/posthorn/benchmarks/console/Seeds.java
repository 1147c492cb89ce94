package dev.posthorn.benchmarks.console;

import dev.posthorn.benchmarks.harness.Output;
import dev.posthorn.benchmarks.harness.Patience;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.RestCalls;
import dev.posthorn.testkit.Receiver;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Fills a hub's database as months of work would. */
record Seeds(Database database, RestCalls calls, Receiver receiver, int subscriptions, Output output) {

    private static final int PORTION = 1_000;

    /** Each is wanted by as many subscriptions as any other, give or take one. */
    private static final int TYPES = 100;

    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Set<Integer> DONE = Set.of(200, 201, 202);

    /** Spread over a week, most of them of today; every cause has some of every hour. */
    private static final String LETTERS = """
            INSERT INTO posthorn.dead_letter
                   (subscription_id, txid, seq, event_id, source, type, version, key, content_type, payload, occurred_at,
                    recorded_at, attempts, error_class, error_message, cause, first_failed_at, last_failed_at, holds_key)
            SELECT s.id, '3', 1000000000 + n, gen_random_uuid(), 'bench', 'order.placed', 1, 'order-' || n %% 5000,
                   'application/json', convert_to('{"n": ' || n || '}', 'UTF8'), at, at, 5, 'HTTP 500',
                   'order ' || n || ' failed by cause ' || n %% 7, 'order # failed by cause ' || n %% 7, at, at, false
              FROM generate_series(1, %d) n
              JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM posthorn.subscription) s
                ON s.place = n %% 20
             CROSS JOIN LATERAL (SELECT clock_timestamp() - power(random(), 3) * interval '7 days' AS at) t
            """;

    private static final String ATTEMPTS = """
            INSERT INTO posthorn.attempt
                   (subscription_id, seq, number, started_at, took_ms, outcome, error_class, message, instance, reply_code, reply)
            SELECT subscription_id, seq, 1 + n, last_failed_at - n * interval '1 minute', 12, 'RETRY', error_class,
                   error_message, 'bench', 500, 'sorry'
              FROM posthorn.dead_letter CROSS JOIN generate_series(0, 4) n
            """;

    /** A day of all subscriptions that work all the time, which is the most there can be. */
    private static final String ROLLUPS = """
            INSERT INTO posthorn.subscription_rollup (subscription_id, minute, writer, delivered, failed, dead_lettered)
            SELECT s.id, date_trunc('minute', clock_timestamp()) - m * interval '1 minute',
                   '00000000-0000-0000-0000-000000000001', 60 + s.id %% 50, s.id %% 3, 0
              FROM posthorn.subscription s CROSS JOIN generate_series(1, %d) m
            """;

    private static final String HUB_ROLLUPS = """
            INSERT INTO posthorn.hub_rollup (at, writer, since_seq, seq, delivered, failed, dead_lettered)
            SELECT to_timestamp(floor(extract(epoch FROM clock_timestamp()) / 10) * 10 - 10 * n),
                   '00000000-0000-0000-0000-000000000001', 100 * (10000 - n), 100 * (10001 - n), 1000, 3, 0
              FROM generate_series(1, 8640) n
            """;

    void makeSubscriptions() throws IOException, InterruptedException {
        for (int from = 0; from < subscriptions; from += PORTION) {
            String all = IntStream.range(from, Math.min(subscriptions, from + PORTION))
                    .mapToObj(
                            i -> "{\"name\": \"subscriber-%04d\", \"lanes\": 1, \"filter\": {\"types\": [\"type.%d\"]},"
                                            .formatted(i, i % TYPES)
                                    + " \"sink\": {\"kind\": \"http\", \"url\": \"" + receiver.url("/") + "\"}}")
                    .collect(Collectors.joining(", ", "{\"subscriptions\": [", "]}"));
            post("/v1/subscriptions", all);
        }
    }

    void events(int count) throws SQLException {
        database.makeUpHistory(count, output);
    }

    void deadLetters(int count) throws SQLException {
        output.progress("%,d dead letters and their attempts", count);
        database.execute(LETTERS.formatted(count));
        database.execute(ATTEMPTS);
    }

    void rollups(int minutes) throws SQLException {
        output.progress("rollups of %,d minutes", minutes);
        database.execute(ROLLUPS.formatted(minutes));
        database.execute(HUB_ROLLUPS);
    }

    /** What the first pages show: events that some subscriptions have been sent. */
    void work(int events) throws Exception {
        for (int from = 0; from < events; from += PORTION) {
            String all = IntStream.range(from, Math.min(events, from + PORTION))
                    .mapToObj(i ->
                            "{\"source\": \"bench\", \"type\": \"type.%d\", \"key\": \"key-%d\", \"data\": {\"n\": %d}}"
                                    .formatted(i % TYPES, i % 500, i))
                    .collect(Collectors.joining(", ", "[", "]"));
            calls.publish(all.getBytes(StandardCharsets.UTF_8));
        }
        int expected = IntStream.range(0, events)
                .map(i -> subscriptions / TYPES + (i % TYPES < subscriptions % TYPES ? 1 : 0))
                .sum();
        Patience.until(
                LOOK,
                () -> "Of " + expected + " deliveries came " + receiver.count(),
                () -> receiver.count() >= expected);
    }

    void post(String path, String json) throws IOException, InterruptedException {
        calls.require(DONE, "POST", path, json.getBytes(StandardCharsets.UTF_8));
    }
}
