package dev.posthorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.event.EventLimits;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.testing.RecordedEvents;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutboxTest {

    private static TestDatabase database;

    private final Outbox outbox = Outbox.create();
    private Connection connection;

    @BeforeAll
    static void createDatabase() {
        database = TestDatabase.create();
    }

    @BeforeEach
    void openATransaction() throws SQLException {
        database.execute("TRUNCATE posthorn.event");
        connection = database.transaction();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    @Test
    void anEventBecomesVisibleWithTheCallersCommitAndNotBefore() throws SQLException {
        execute("CREATE TABLE orders (id int)");
        execute("INSERT INTO orders VALUES (7)");
        UUID id = outbox.record(connection, event("order-7"));
        RecordedEvents.in(connection).assertCount(1);
        assertThat(count()).isZero();

        connection.commit();

        assertThat(count()).isOne();
        assertThat(database.number("SELECT count(*) FROM orders")).isOne();
        assertThat(RecordedEvents.in(connection).assertOne().id()).isEqualTo(id);
    }

    @Test
    void anEventVanishesWithTheCallersRollback() throws SQLException {
        outbox.record(connection, event("order-7"));
        outbox.record(connection, List.of(event("order-7"), event("order-8")));
        connection.rollback();

        RecordedEvents.in(connection).assertNone();
    }

    @Test
    void anEventVanishesWithItsSavepoint() throws SQLException {
        UUID kept = outbox.record(connection, event("order-7"));
        Savepoint savepoint = connection.setSavepoint();
        outbox.record(connection, event("order-8"));
        connection.rollback(savepoint);
        connection.commit();

        assertThat(RecordedEvents.in(connection).assertOne().id()).isEqualTo(kept);
    }

    @Test
    void refusesAConnectionInAutoCommit() throws SQLException {
        connection.setAutoCommit(true);
        refused(
                ErrorCode.AUTO_COMMIT,
                () -> outbox.record(connection, event("k")),
                "auto-commit",
                "setAutoCommit(false)");
        refused(ErrorCode.AUTO_COMMIT, () -> outbox.record(connection, List.of(event("k"))), "auto-commit");
        assertThat(count()).isZero();
    }

    @Test
    void aBatchIsOneStatementNumberedInTheOrderGiven() throws SQLException {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            events.add(event("order-" + i % 13));
        }
        List<UUID> ids = outbox.record(connection, events);
        connection.commit();

        assertThat(ids).containsExactlyElementsOf(events.stream().map(Event::id).toList());
        assertThat(RecordedEvents.in(connection).events()).extracting(Event::id).containsExactlyElementsOf(ids);
        // PostgreSQL numbers the commands of a transaction.
        assertThat(database.number("SELECT count(DISTINCT cmin::text) FROM posthorn.event"))
                .isOne();
    }

    @Test
    void recordsBelongToOneTransactionHoweverManyTheyAre() throws SQLException {
        outbox.record(connection, event("a"));
        outbox.record(connection, List.of(event("b"), event("c")));
        connection.commit();

        assertThat(database.value("SELECT string_agg(key, ' ' ORDER BY seq) FROM posthorn.event"))
                .isEqualTo("a b c");
        assertThat(database.number("SELECT count(DISTINCT txid) FROM posthorn.event"))
                .isOne();
    }

    @Test
    void anEmptyListRecordsNothing() throws SQLException {
        assertThat(outbox.record(connection, List.of())).isEmpty();
        connection.commit();
        assertThat(count()).isZero();
    }

    @Test
    void refusesAPayloadOfMoreThanOneMebibyteAndWritesNothing() throws SQLException {
        Event largest = event(new byte[1 << 20]);
        Event tooLarge = event(new byte[(1 << 20) + 1]);
        refused(
                ErrorCode.INVALID_EVENT,
                () -> outbox.record(connection, List.of(largest, tooLarge)),
                "payload has 1048577 bytes; the limit is 1048576 (EventLimits.maxPayloadBytes)");
        refused(ErrorCode.INVALID_EVENT, () -> outbox.record(connection, tooLarge), "payload has 1048577 bytes");
        RecordedEvents.in(connection).assertNone();

        // A refused event leaves the transaction as it was.
        outbox.record(connection, largest);
        connection.commit();
        assertThat(RecordedEvents.in(connection).assertOne().payload()).hasSize(1 << 20);
    }

    @Test
    void theLargestPayloadCanBeSet() {
        Outbox small = Outbox.builder()
                .limits(EventLimits.DEFAULT.withMaxPayloadBytes(3))
                .build();
        small.record(connection, event(new byte[3]));
        refused(ErrorCode.INVALID_EVENT, () -> small.record(connection, event(new byte[4])), "4 bytes; the limit is 3");

        Outbox large = Outbox.builder()
                .limits(EventLimits.DEFAULT.withMaxPayloadBytes(2 << 20))
                .build();
        large.record(connection, event(new byte[2 << 20]));
        RecordedEvents.in(connection).assertCount(2);
    }

    @Test
    void refusesTooManyHeadersAndTooLargeOnesAndWritesNothing() {
        Event.Builder most = builder();
        for (int i = 0; i < 64; i++) {
            most.header("h" + i, "v");
        }
        outbox.record(connection, most.build());
        refused(
                ErrorCode.INVALID_EVENT,
                () -> outbox.record(connection, most.header("one-more", "v").build()),
                "headers: 65 given; the limit is 64 (EventLimits.maxHeaders)");

        // Counted in bytes of UTF-8: the name's four, and two for each of the value's characters.
        outbox.record(connection, builder().header("name", "é".repeat(8190)).build());
        refused(
                ErrorCode.INVALID_EVENT,
                () -> outbox.record(
                        connection, builder().header("name", "é".repeat(8191)).build()),
                "headers have 16386 bytes in all; the limit is 16384 (EventLimits.maxHeaderBytes)");

        Outbox strict = Outbox.builder().limits(new EventLimits(10, 1, 5)).build();
        refused(
                ErrorCode.INVALID_EVENT,
                () -> strict.record(connection, builder().header("abc", "def").build()),
                "the limit is 5");
        RecordedEvents.in(connection).assertCount(2);
    }

    @Test
    void aTransactionThatRecordsCommitsDurablyWhereTheSessionDoesNot() throws SQLException {
        synchronousCommit("off");
        outbox.record(connection, event("k"));
        assertThat(show()).isEqualTo("on");
        connection.commit();
        assertThat(show()).isEqualTo("off");

        outbox.record(connection, List.of(event("k"), event("k")));
        assertThat(show()).isEqualTo("on");
        connection.commit();
        assertThat(show()).isEqualTo("off");
        RecordedEvents.in(connection).assertCount(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"on", "local", "remote_write", "remote_apply"})
    void aSessionThatCommitsDurablyInItsOwnWayKeepsIt(String setting) throws SQLException {
        synchronousCommit(setting);
        outbox.record(connection, event("k"));
        outbox.record(connection, List.of(event("k")));
        assertThat(show()).isEqualTo(setting);
        RecordedEvents.in(connection).assertCount(2);
    }

    @Test
    void whoDoesNotNeedDurabilityCanSaySo() throws SQLException {
        synchronousCommit("off");
        Outbox lax = Outbox.builder().commitDurably(false).build();
        lax.record(connection, event("k"));
        lax.record(connection, List.of(event("k")));
        assertThat(show()).isEqualTo("off");
        RecordedEvents.in(connection).assertCount(2);
    }

    /** "user" is a word of SQL: the name has to be quoted everywhere. */
    @ParameterizedTest
    @ValueSource(strings = {"billing_outbox", "user"})
    void recordsInASchemaOfAnotherName(String name) throws SQLException {
        TestDatabase other = TestDatabase.createEmpty();
        new Schema(new SchemaName(name)).install(other.dataSource());
        Outbox there = Outbox.builder().schema(name).lockKeys(true).build();
        try (Connection transaction = other.transaction()) {
            there.record(transaction, event("one"));
            there.record(transaction, List.of(event("two"), event("three")));
            transaction.commit();

            RecordedEvents.in(transaction, new SchemaName(name)).assertCount(3);
            assertThatThrownBy(() -> outbox.record(transaction, event("k")))
                    .isInstanceOfSatisfying(
                            PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DATABASE))
                    .hasMessageContaining("recording an event failed");
        }
    }

    private void synchronousCommit(String value) throws SQLException {
        execute("SET synchronous_commit = " + value);
        connection.commit();
    }

    private String show() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW synchronous_commit")) {
            row.next();
            return row.getString(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long count() {
        return database.number("SELECT count(*) FROM posthorn.event");
    }

    private static Event.Builder builder() {
        return Event.builder().source("shop").type("order.placed").json("{}");
    }

    private static Event event(String key) {
        return builder().key(key).build();
    }

    private static Event event(byte[] payload) {
        return builder().payload(payload).build();
    }

    private static void refused(ErrorCode code, Runnable work, String... words) {
        assertThatThrownBy(work::run)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContainingAll(words);
    }
}
