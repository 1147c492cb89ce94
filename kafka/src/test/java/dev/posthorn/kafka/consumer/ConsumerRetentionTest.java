package dev.posthorn.kafka.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.kafka.OutboxDatabase;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.retention.Retention;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A consumer beside others in one schema: what is theirs it leaves alone, however old it is. */
@Tag("slow")
class ConsumerRetentionTest {

    private static final Duration YEAR = Duration.ofDays(365);

    /** A partition of thirty events that was full forty days ago, and inbox entries of that age. */
    private static final String FORTY_DAYS_AGO = """
            INSERT INTO posthorn.event (id, source, type, version, content_type, payload, occurred_at)
            SELECT gen_random_uuid(), 'shop', 'order.placed', 1, 'a/b', '', now() FROM generate_series(1, 30);
            SELECT setval('posthorn.event_seq', (SELECT max(to_seq) FROM posthorn.event_partition));
            UPDATE posthorn.event_partition SET passed_xid = pg_current_xact_id(), passed_at = now() - interval '40 days',
                   passed_era = (SELECT era FROM posthorn.cluster);
            INSERT INTO posthorn.inbox_entry (consumer, event_id, entered_at)
            SELECT consumer, gen_random_uuid(), now() - interval '40 days'
              FROM unnest(ARRAY['%1$s', '%1$s (replayed)', 'shipping', 'somebody''s own']) AS consumer;
            """;

    private Books books;

    @BeforeEach
    void open() throws Exception {
        books = new Books(1);
        try (Connection connection = database().dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(FORTY_DAYS_AGO.formatted(books.name()));
        }
    }

    @AfterEach
    void close() {
        books.close();
    }

    /** Thirty events and every old entry were gone. */
    @Test
    void besideAnApplicationThatKeepsEverythingItForgetsItsOwnEntriesAlone() {
        try (Relay application = relay(Retention.off())) {
            assertThat(application.isRunning()).isTrue();
            books.start(books.consumer(Books::enter).ownRelay(true));
            awaitNoEntryOf(books.name());
            assertThat(number("SELECT count(*) FROM posthorn.event")).isEqualTo(30);
            assertThat(consumers()).isEqualTo("shipping, somebody's own");
        }
    }

    @Test
    void besideAHubThatKeepsAYearToo() {
        try (Relay hub = relay(new Retention(YEAR, YEAR, YEAR, YEAR, Duration.ofMinutes(1)))) {
            assertThat(hub.isRunning()).isTrue();
            books.start(books.consumer(Books::enter).ownRelay(true));
            awaitNoEntryOf(books.name());
            assertThat(number("SELECT count(*) FROM posthorn.event")).isEqualTo(30);
            assertThat(consumers()).isEqualTo("shipping, somebody's own");
        }
    }

    @Test
    void aConsumerThatIsToldSoKeepsItsEntriesThoughTheApplicationsRelayForgetsOthers() {
        books.start(books.consumer(Books::enter).inboxEntries(YEAR));
        try (Relay application = relay(Retention.defaults())) {
            assertThat(application.isRunning()).isTrue();
            awaitNoEntryOf("shipping");
            assertThat(consumers()).isEqualTo(books.name() + ", " + books.name() + " (replayed)");
        }
    }

    @Test
    void aConsumerThatKeepsItsEntriesForEverDeletesNothing() {
        books.start(books.consumer(Books::enter).ownRelay(true).inboxEntries(null));
        books.start(books.consumer(Books::enter).name("shipping").ownRelay(true));
        awaitNoEntryOf("shipping");
        assertThat(consumers()).isEqualTo(books.name() + ", " + books.name() + " (replayed), somebody's own");
    }

    private Relay relay(Retention retention) {
        return Relay.builder(books.database().dataSource()).retention(retention).start();
    }

    /** The first pass may meet another keeper at work; the next comes a minute later. */
    private void awaitNoEntryOf(String consumer) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(4))
                .until(() -> !consumers().contains(consumer));
    }

    private String consumers() {
        return database()
                .query(
                        "SELECT coalesce(string_agg(consumer, ', ' ORDER BY consumer), '') FROM posthorn.inbox_entry",
                        row -> row.getString(1))
                .get(0);
    }

    private long number(String sql) {
        return database().query(sql, row -> row.getLong(1)).get(0);
    }

    private OutboxDatabase database() {
        return books.database();
    }
}
