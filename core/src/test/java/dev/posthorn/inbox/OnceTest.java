package dev.posthorn.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.TestDatabase;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.Outage;
import dev.posthorn.error.PosthornException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/** One effect per event, whoever manages the transaction. */
class OnceTest {

    private static final UUID ONE = new UUID(1, 1);
    private static final UUID TWO = new UUID(1, 2);
    private static final UUID THREE = new UUID(1, 3);

    private final TestDatabase database = TestDatabase.create();
    private final Inbox inbox = Inbox.create();

    @BeforeEach
    void openBooks() throws SQLException {
        database.execute("CREATE TABLE booking (event_id uuid)");
    }

    @Test
    void theSecondTimeItIsADuplicateWithoutEffect() throws SQLException {
        try (Connection connection = database.transaction()) {
            assertThat(inbox.once(connection, "billing", ONE, same -> book(same, ONE)))
                    .isEqualTo(new Once.Processed<>("booked"));
            assertThat(inbox.once(connection, "billing", ONE, same -> book(same, ONE)))
                    .isEqualTo(new Once.Duplicate<>());
            connection.commit();
        }
        assertThat(bookings()).isEqualTo(1);
    }

    @Test
    void aRollbackTakesTheEntryWithTheEffect() throws SQLException {
        try (Connection connection = database.transaction()) {
            inbox.once(connection, "billing", ONE, same -> book(same, ONE));
            connection.rollback();
        }
        assertThat(once(database.dataSource(), ONE).isDuplicate()).isFalse();
        assertThat(bookings()).isEqualTo(1);
    }

    @Test
    void withoutATransactionItIsRefusedAndHasNoEffect() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            assertThatThrownBy(() -> inbox.once(connection, "billing", ONE, same -> book(same, ONE)))
                    .isInstanceOfSatisfying(
                            PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.AUTO_COMMIT))
                    .hasMessageContaining("setAutoCommit(false)");
        }
        assertThat(bookings()).isZero();
    }

    @Test
    void theManagedFormCommitsAndASecondCallIsADuplicate() throws SQLException {
        assertThat(once(database.dataSource(), ONE)).isEqualTo(new Once.Processed<>("booked"));
        assertThat(once(database.dataSource(), ONE)).isEqualTo(new Once.Duplicate<>());
        assertThat(bookings()).isEqualTo(1);
    }

    @Test
    void whatTheEffectThrowsIsThrownAndNothingIsCommitted() throws SQLException {
        assertThatThrownBy(() -> inbox.once(database.dataSource(), "billing", ONE, connection -> {
                    book(connection, ONE);
                    throw new IOException("printer on fire");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("printer on fire");
        assertThat(bookings()).isZero();
        assertThat(once(database.dataSource(), ONE).isDuplicate()).isFalse();
    }

    @Test
    void theManagedFormRepeatsWhatPostgresqlAsksToRepeat() throws SQLException {
        DataSource repeatable = database.dataSource("repeatable read");
        AtomicInteger calls = new AtomicInteger();

        Once<String> once = inbox.once(repeatable, "billing", ONE, connection -> {
            book(connection, ONE);
            if (calls.incrementAndGet() == 1) {
                once(database.dataSource(), TWO);
                inbox.once(connection, "billing", TWO, same -> book(same, TWO));
            }
            return "booked";
        });

        assertThat(once.isDuplicate()).isFalse();
        assertThat(calls).as("the first one met an entry of a later commit").hasValue(2);
        assertThat(bookings()).isEqualTo(2);
    }

    /** Its own exception was wrapped, or became a NullPointerException where it had no SQLSTATE. */
    @ParameterizedTest
    @MethodSource
    void whatTheEffectThrowsComesOutAsItWentIn(Exception thrown) {
        assertThatThrownBy(() -> inbox.once(database.dataSource(), "billing", ONE, connection -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
    }

    static List<Exception> whatTheEffectThrowsComesOutAsItWentIn() {
        return List.of(
                new SQLException("a file is missing"),
                new SQLException("duplicate", "23505"),
                new SQLException("again, after ten times", "40001"),
                new IllegalStateException("wrapped", new SQLException("without a state")),
                new IOException("printer on fire"));
    }

    /** As a pool says it that has none left. */
    @Test
    void aPoolThatIsExhaustedIsAnOutageAlsoIfItSaysSoWithoutAState() {
        DataSource exhausted = new PGSimpleDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                throw new SQLException("timed out after 30000 ms");
            }
        };
        assertThatThrownBy(() -> once(exhausted, ONE))
                .isInstanceOf(PosthornException.class)
                .hasMessageContaining("timed out after 30000 ms")
                .satisfies(e -> assertThat(Outage.isOne(e)).isTrue());
    }

    @Test
    void itDoesNotRepeatForEver() {
        AtomicInteger calls = new AtomicInteger();
        assertThatThrownBy(() -> inbox.once(database.dataSource(), "billing", ONE, connection -> {
                    calls.incrementAndGet();
                    throw new SQLException("again", "40001");
                }))
                .hasMessage("again");
        assertThat(calls).hasValue(10);
    }

    @Test
    void aBatchHandsOnlyTheFreshOnesToItsEffectInTheirOrder() throws SQLException {
        once(database.dataSource(), TWO);
        List<UUID> handed = new ArrayList<>();

        List<UUID> fresh = inbox.onceEach(
                database.dataSource(),
                "billing",
                List.of(THREE, TWO, ONE, THREE),
                Function.identity(),
                (connection, ids) -> {
                    handed.addAll(ids);
                    for (UUID id : ids) {
                        book(connection, id);
                    }
                });

        assertThat(fresh).containsExactly(THREE, ONE).isEqualTo(handed);
        assertThat(bookings()).isEqualTo(3);
    }

    @Test
    void aBatchOfDuplicatesAndAnEmptyOneHaveNoEffect() {
        BatchEffect<UUID, RuntimeException> fails = (connection, ids) -> {
            throw new AssertionError("there is nothing to do");
        };
        inbox.onceEach(database.dataSource(), "billing", List.of(ONE), Function.identity(), (connection, ids) -> {});
        assertThat(inbox.onceEach(database.dataSource(), "billing", List.of(ONE, ONE), Function.identity(), fails))
                .isEmpty();
        assertThat(inbox.onceEach(database.dataSource(), "billing", List.<UUID>of(), Function.identity(), fails))
                .isEmpty();
    }

    @Test
    void aBatchThatFailsLeavesNoEntry() throws SQLException {
        assertThatThrownBy(() -> inbox.onceEach(
                        database.dataSource(), "billing", List.of(ONE, TWO), Function.identity(), (connection, ids) -> {
                            book(connection, ONE);
                            throw new IllegalStateException("no paper");
                        }))
                .hasMessage("no paper");
        assertThat(bookings()).isZero();
        assertThat(once(database.dataSource(), TWO).isDuplicate()).isFalse();
    }

    private Once<String> once(DataSource dataSource, UUID id) throws SQLException {
        return inbox.once(dataSource, "billing", id, connection -> book(connection, id));
    }

    private static String book(Connection connection, UUID id) throws SQLException {
        try (var insert = connection.prepareStatement("INSERT INTO booking VALUES (?)")) {
            insert.setObject(1, id);
            insert.executeUpdate();
        }
        return "booked";
    }

    private long bookings() {
        return database.number("SELECT count(*) FROM booking");
    }
}
