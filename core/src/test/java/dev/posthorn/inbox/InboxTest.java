package dev.posthorn.inbox;

import static dev.posthorn.inbox.Claim.CONFLICT;
import static dev.posthorn.inbox.Claim.DUPLICATE;
import static dev.posthorn.inbox.Claim.FRESH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.TestDatabase;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a claim comes to, and what it costs. */
class InboxTest {

    private static final UUID ONE = new UUID(1, 1);
    private static final UUID TWO = new UUID(-1, 2);

    private final TestDatabase database = TestDatabase.create();
    private final Inbox inbox = Inbox.create();

    @Test
    void whatComesAgainIsADuplicateAndAnotherThingUnderItsIdAConflict() throws SQLException {
        meetsWhatIsThere(database);
    }

    @Test
    void claimsWorkOnTheOldestPostgresql() throws SQLException {
        meetsWhatIsThere(TestDatabase.createOnOldest());
    }

    private void meetsWhatIsThere(TestDatabase there) throws SQLException {
        assertThat(claim(there, entry(ONE, 7))).containsExactly(FRESH);
        assertThat(claim(there, entry(ONE, 7), entry(TWO, 7))).containsExactly(DUPLICATE, FRESH);
        assertThat(claim(there, entry(TWO, 8), entry(ONE, 7))).containsExactly(CONFLICT, DUPLICATE);
        assertThat(claim(there, entry(ONE, 7))).as("a conflict changes nothing").containsExactly(DUPLICATE);
    }

    @Test
    void withoutADigestOnEitherSideItIsADuplicate() throws SQLException {
        assertThat(claim(database, entry(ONE, null), entry(TWO, 7))).containsExactly(FRESH, FRESH);
        assertThat(claim(database, entry(ONE, 7), entry(TWO, null))).containsExactly(DUPLICATE, DUPLICATE);
        assertThat(claim(database, entry(ONE, 8), entry(TWO, 8)))
                .as("what came first counts")
                .containsExactly(DUPLICATE, CONFLICT);
    }

    @Test
    void anEmptyDigestIsADigest() throws SQLException {
        claim(database, new InboxEntry(ONE, new byte[0]));
        assertThat(claim(database, entry(ONE, 7), new InboxEntry(ONE, new byte[0])))
                .containsExactly(CONFLICT, DUPLICATE);
    }

    @Test
    void ofOneIdTwiceInABatchTheFirstCounts() throws SQLException {
        InboxEntry same = entry(ONE, 7);
        assertThat(claim(database, same, entry(TWO, 7), same, entry(ONE, 8), entry(ONE, null)))
                .containsExactly(FRESH, FRESH, DUPLICATE, CONFLICT, DUPLICATE);
        assertThat(claim(database, entry(ONE, 8), same)).containsExactly(CONFLICT, DUPLICATE);
        assertThat(database.number("SELECT count(*) FROM posthorn.inbox_entry")).isEqualTo(2);
    }

    /** The hub's entries were those of a consumer named posthorn, which therefore never had an effect. */
    @Test
    void noConsumerSharesTheEntriesOfAHub() throws SQLException {
        try (Connection connection = database.transaction()) {
            assertThat(inbox.claimIngest(connection, List.of(arrival(7))))
                    .extracting(ClaimedEvent::claim)
                    .containsExactly(FRESH);
            assertThat(inbox.claimIngest(connection, List.of(arrival(8))))
                    .extracting(ClaimedEvent::claim)
                    .containsExactly(CONFLICT);
            assertThat(inbox.once(connection, "posthorn", ONE, same -> "done").isDuplicate())
                    .isFalse();
        }
    }

    @Test
    void consumersDoNotKnowOfEachOther() throws SQLException {
        try (Connection connection = database.transaction()) {
            assertThat(inbox.claim(connection, "billing", List.of(entry(ONE, 7))))
                    .containsExactly(FRESH);
            assertThat(inbox.claim(connection, "Billing", List.of(entry(ONE, 8))))
                    .containsExactly(FRESH);
            assertThat(inbox.claim(connection, "billing", List.of(entry(ONE, 8))))
                    .as("in the same transaction")
                    .containsExactly(CONFLICT);
        }
    }

    @Test
    void aRollbackFreesWhatWasClaimed() throws SQLException {
        try (Connection connection = database.transaction()) {
            inbox.claim(connection, "billing", List.of(entry(ONE, 7)));
            connection.rollback();
        }
        assertThat(claim(database, entry(ONE, 8))).containsExactly(FRESH);
    }

    @Test
    void anotherSchemaIsAnotherInbox() throws SQLException {
        new Schema(new SchemaName("second")).install(database.dataSource());
        claim(database, entry(ONE, 7));
        try (Connection connection = database.transaction()) {
            Inbox second = Inbox.builder().schema("second").build();
            assertThat(second.claim(connection, "billing", List.of(entry(ONE, 8))))
                    .containsExactly(FRESH);
        }
    }

    @Test
    void aBatchIsOneStatementAndASecondOnlyIfSomeWereThere() throws SQLException {
        List<InboxEntry> many = new ArrayList<>();
        IntStream.range(0, 1_000).forEach(i -> many.add(entry(new UUID(i, i), i % 3 == 0 ? null : i)));
        try (Connection connection = database.transaction()) {
            AtomicInteger statements = new AtomicInteger();
            Connection counting = counting(connection, statements);
            assertThat(inbox.claim(counting, "billing", many)).hasSize(1_000).containsOnly(FRESH);
            assertThat(statements).hasValue(1);
            assertThat(inbox.claim(counting, "billing", many)).hasSize(1_000).containsOnly(DUPLICATE);
            assertThat(statements).hasValue(3);
            assertThat(inbox.claim(counting, "billing", List.of())).isEmpty();
            assertThat(statements).hasValue(3);
        }
    }

    @Test
    void refusesAConnectionInAutoCommit() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            refused(
                    ErrorCode.AUTO_COMMIT,
                    () -> inbox.claim(connection, "billing", List.of(entry(ONE, 7))),
                    "auto-commit mode, so the inbox entry would not be part of your transaction: call"
                            + " setAutoCommit(false)");
        }
        assertThat(database.number("SELECT count(*) FROM posthorn.inbox_entry")).isZero();
    }

    @Test
    void aConsumerThatCannotBeStoredIsRefusedBeforeItBreaksTheTransaction() throws SQLException {
        try (Connection connection = database.transaction()) {
            refusedConsumer(connection, " ", "consumer is empty; name who takes the events");
            refusedConsumer(connection, "x".repeat(256), "consumer has 256 characters; the limit is 255");
            refusedConsumer(connection, "a\0b", "consumer holds a control character or half a surrogate pair");
            refusedConsumer(connection, "\uD83D", "consumer holds a control character or half a surrogate pair");
            refusedConsumer(
                    connection, "billing (replayed)", "holds a parenthesis, as only names of Posthorn's own do");
            refusedConsumer(connection, "(ingest)", "holds a parenthesis, as only names of Posthorn's own do");
            assertThat(inbox.claim(connection, "x".repeat(255), List.of(entry(ONE, 7))))
                    .containsExactly(FRESH);
        }
    }

    private void refusedConsumer(Connection connection, String consumer, String message) {
        refused(ErrorCode.INVALID_REQUEST, () -> inbox.claim(connection, consumer, List.of(entry(ONE, 7))), message);
    }

    private List<Claim> claim(TestDatabase there, InboxEntry... entries) throws SQLException {
        try (Connection connection = there.transaction()) {
            List<Claim> claims = inbox.claim(connection, "billing", List.of(entries));
            connection.commit();
            return claims;
        }
    }

    private static InboxEntry entry(UUID id, @Nullable Integer digest) {
        return new InboxEntry(id, digest == null ? null : new byte[] {digest.byteValue(), 0, -1});
    }

    private static Arrival arrival(int digest) {
        Event event = Event.builder()
                .id(ONE)
                .source("shop")
                .type("order.placed")
                .json("{}")
                .build();
        return new Arrival(event, new byte[] {(byte) digest});
    }

    private static Connection counting(Connection connection, AtomicInteger statements) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, args) -> {
                    if (method.getName().startsWith("prepare")) {
                        statements.incrementAndGet();
                    }
                    return method.invoke(connection, args);
                });
    }

    private static void refused(ErrorCode code, ThrowingCallable claim, String message) {
        assertThatThrownBy(claim)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }
}
