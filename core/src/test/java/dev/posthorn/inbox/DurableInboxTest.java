package dev.posthorn.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.event.Event;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.testkit.FrozenWalWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a consumer has done is acknowledged to others, who then forget it. So it has to outlast a crash of the server also
 * where the role's or the database's transactions do not: there the WAL of a commit is written up to 30 seconds later.
 */
@Tag("slow")
class DurableInboxTest {

    private static EmbeddedPostgres server;

    private final UUID id = UUID.randomUUID();
    private final Inbox inbox = Inbox.create();
    private final TestDatabase database = TestDatabase.create(server);
    private final DataSource dataSource = database.dataSource();
    private final FrozenWalWriter frozen = FrozenWalWriter.of(database);

    @BeforeAll
    static void start() {
        server = EmbeddedPostgres.builder().setting("wal_writer_delay", "10s").start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    DurableInboxTest() {
        database.execute("CREATE TABLE booking (event_id uuid)");
        database.execute("ALTER DATABASE " + database.name() + " SET synchronous_commit = off");
    }

    @AfterEach
    void thaw() {
        frozen.close();
    }

    /** At once: what was not flushed by the commit itself is lost. */
    private static void crash() {
        server.kill();
        server.start();
    }

    private String book(Connection connection, UUID id) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO booking VALUES (?)")) {
            insert.setObject(1, id);
            insert.executeUpdate();
            return "booked";
        }
    }

    private long bookings() {
        return database.number("SELECT count(*) FROM booking");
    }

    private long entries() {
        return database.number("SELECT count(*) FROM posthorn.inbox_entry");
    }

    @Test
    void withoutTheInboxTheEffectIsGone() throws SQLException {
        Transactions.over(dataSource).run(connection -> book(connection, id));
        crash();
        assertThat(bookings()).as("otherwise this test shows nothing").isZero();
    }

    @Test
    void anEffectThatIsHadOnceOutlastsACrash() throws SQLException {
        inbox.once(dataSource, "billing", id, connection -> book(connection, id));
        crash();
        assertThat(List.of(entries(), bookings())).containsExactly(1L, 1L);
    }

    @Test
    void manyEffectsOutlastACrash() throws SQLException {
        inbox.onceEach(dataSource, "billing", List.of(id, UUID.randomUUID()), each -> each, (connection, fresh) -> {
            for (UUID each : fresh) {
                book(connection, each);
            }
        });
        crash();
        assertThat(List.of(entries(), bookings())).containsExactly(2L, 2L);
    }

    @Test
    void aClaimInTheCallersTransactionOutlastsACrash() throws SQLException {
        try (Connection connection = database.transaction()) {
            inbox.claim(connection, "billing", List.of(new InboxEntry(id, new byte[] {1})));
            connection.commit();
        }
        crash();
        assertThat(entries()).isEqualTo(1);
    }

    @Test
    void aConsumersEffectsOutlastACrashAlsoWithoutEntries() throws Exception {
        consumption(false).take(List.of(event()), List.of(), () -> {});
        crash();
        assertThat(bookings()).isEqualTo(1);
    }

    @Test
    void aConsumersDeadLetterOutlastsACrashAlsoWithoutEntries() throws Exception {
        Consumption consumption = consumption(false);
        new Subscriptions(dataSource, SchemaName.DEFAULT).register(consumption.subscription());
        Event event = event();
        FailedAttempt attempt = new FailedAttempt(0, Duration.ZERO, new RuntimeException("no"));
        consumption.setAside(event, event, List.of(attempt), 0, List.of());
        crash();
        assertThat(database.number("SELECT count(*) FROM posthorn.dead_letter")).isEqualTo(1);
    }

    /** An operator, or a guard of the hub, has been told that it is done. */
    @Test
    void whatIsAnsweredOutlastsACrash() {
        Queries queries = new Queries(dataSource, SchemaName.DEFAULT);
        queries.run("changing", t -> t.update("INSERT INTO booking VALUES (:id)", Map.of("id", id)));
        crash();
        assertThat(bookings()).isEqualTo(1);
        queries.run(
                "changing",
                t -> t.first(
                        "INSERT INTO booking VALUES (:id) RETURNING event_id",
                        Map.of("id", id),
                        row -> row.getString(1)));
        crash();
        assertThat(bookings()).isEqualTo(2);
    }

    private Event event() {
        return Event.builder().id(id).source("shop").type("t").json("{}").build();
    }

    private Consumption consumption(boolean deduplicates) {
        return new Consumption(
                "billing",
                SchemaName.DEFAULT,
                Transactions.over(dataSource),
                (connection, events) -> book(connection, events.get(0).id()),
                events -> () -> {},
                deduplicates);
    }
}
