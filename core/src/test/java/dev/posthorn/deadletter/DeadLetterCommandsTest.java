package dev.posthorn.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.audit.Actor;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.SchemaName;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DeadLetterCommandsTest {

    private static final Actor ANN = Actor.named("ann");
    private static final Instant LATER = Instant.parse("2100-01-01T00:00:00Z");

    private TestDatabase database;
    private TroubleRows rows;
    private Commands commands;
    private long subscription;
    private long seq;
    private long letter;

    @BeforeEach
    void createDatabase() {
        database = TestDatabase.create();
        rows = new TroubleRows(database);
        commands = new Commands(database.dataSource(), SchemaName.DEFAULT);
        subscription = rows.subscriptionAt("billing", rows.snapshot());
        seq = rows.event("k");
        letter = rows.deadLetter(subscription, seq, "E", "m", "m");
    }

    private String row(CommandTicket ticket) {
        return database.value("SELECT concat_ws(' ', subscription_id = " + subscription + ", kind, key, event_id, seq,"
                + " due_at AT TIME ZONE 'UTC', requested_by, reason, answered_at) FROM posthorn.command WHERE id = "
                + ticket.id());
    }

    private String event() {
        return "k " + rows.id(seq) + " " + seq;
    }

    @Test
    void aCommandIsARowThatNamesTheEventAndWhoAsked() {
        CommandTicket discard = commands.discard(letter, ANN, "a test order");
        assertThat(row(discard)).isEqualTo("t DISCARD " + event() + " ann a test order");
        assertThat(discard.requestedAt()).isBefore(LATER);
        assertThat(row(commands.defer("billing", rows.id(seq), LATER, ANN)))
                .isEqualTo("t DEFER " + event() + " 2100-01-01 00:00:00 ann");
        database.execute("UPDATE posthorn.dead_letter SET holds_key = true");
        assertThat(row(commands.release(letter, ANN))).isEqualTo("t RELEASE " + event() + " ann");
    }

    @Test
    void aPurgeIsOfAnyLetterThatIsThereAndNotBeingSentAgain() {
        assertThat(row(commands.purge(letter, ANN, "an address"))).isEqualTo("t PURGE " + event() + " ann an address");
        assertThat(database.value("SELECT concat_ws(' ', actor, action, target, detail->>'eventId', reason)"
                        + " FROM posthorn.audit"))
                .isEqualTo("ann dead-letter.purge dead-letter/" + letter + " " + rows.id(seq) + " an address");
        refused(() -> commands.purge(letter, ANN, " "), ErrorCode.INVALID_REQUEST, "reason is missing; a purged");
        database.execute("UPDATE posthorn.dead_letter SET discarded_at = now(), discarded_by = 'bob'");
        assertThat(row(commands.purge(letter, ANN, "x"))).startsWith("t PURGE");
        database.execute("UPDATE posthorn.dead_letter SET purged_at = now()");
        refused(() -> commands.purge(letter, ANN, "x"), ErrorCode.NOT_FOUND, "there is no dead letter with id");
        database.execute("UPDATE posthorn.dead_letter SET purged_at = NULL, discarded_at = NULL");
        database.execute("INSERT INTO posthorn.replay_item (replay_id, subscription_id, seq, event_id, key_hash, state)"
                + " SELECT 7, subscription_id, seq, event_id, 0, 'PENDING' FROM posthorn.dead_letter");
        refused(
                () -> commands.purge(letter, ANN, "x"),
                ErrorCode.CONFLICT,
                "dead letter " + letter + " is being sent again by replay 7");
    }

    @Test
    void whatIsAskedForIsInTheAudit() {
        Actor ann = new Actor("ann", "r-1");
        commands.discard(letter, ann, "a test order");
        commands.defer("billing", rows.id(seq), LATER, ann);
        database.execute("UPDATE posthorn.dead_letter SET holds_key = true");
        commands.release(letter, ann);
        assertThat(database.value("SELECT string_agg(concat_ws(' ', actor, action, target, detail->>'subscription',"
                        + " reason, request_id), ';' ORDER BY id) FROM posthorn.audit"))
                .isEqualTo("ann dead-letter.discard dead-letter/" + letter + " billing a test order r-1;"
                        + "ann event.defer event/" + rows.id(seq) + " billing r-1;"
                        + "ann dead-letter.release dead-letter/" + letter + " billing r-1");
        assertThatThrownBy(() -> commands.release(4711, ann)).isInstanceOf(PosthornException.class);
        assertThat(database.number("SELECT count(*) FROM posthorn.audit")).isEqualTo(3);
    }

    @Test
    void anEventThatWaitsLongerThanTheLogIsKeptCanBeDeferred() {
        UUID id = rows.id(seq);
        database.execute("INSERT INTO posthorn.kept_event SELECT * FROM posthorn.event");
        database.execute("DELETE FROM posthorn.event");
        assertThat(row(commands.defer("billing", id, LATER, ANN))).contains("DEFER k " + id + " " + seq);
    }

    @Test
    void anUnorderedEventHasNoKeyInItsCommand() {
        database.execute("UPDATE posthorn.dead_letter SET key = NULL");
        assertThat(row(commands.discard(letter, ANN, "old")))
                .isEqualTo("t DISCARD " + rows.id(seq) + " " + seq + " ann old");
    }

    @Test
    void theAnswerIsThereOnceTheOwnerHasWrittenIt() {
        long id = commands.discard(letter, ANN, "old").id();
        assertThat(commands.answer(id)).isEmpty();
        assertThat(commands.await(id, Duration.ofMillis(30))).isEmpty();
        CompletableFuture<CommandAnswer> awaited = CompletableFuture.supplyAsync(
                () -> commands.await(id, Duration.ofSeconds(60)).orElseThrow());
        database.execute(
                "UPDATE posthorn.command SET answered_at = '2026-01-01Z', answer = 'discarded' WHERE id = " + id);
        CommandAnswer answer = new CommandAnswer("discarded", Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(awaited.join()).isEqualTo(answer);
        assertThat(commands.answer(id)).hasValue(answer);
    }

    @Test
    void whoeverWaitsCanBeInterrupted() {
        long id = commands.discard(letter, ANN, "old").id();
        Thread.currentThread().interrupt();
        assertThat(commands.await(id, Duration.ofHours(1))).isEmpty();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whatCannotBeDoneIsRefusedAtOnceAndLeavesNoRow() {
        refused(() -> commands.release(4711, ANN), ErrorCode.NOT_FOUND, "there is no dead letter with id 4711");
        refused(
                () -> commands.discard(letter, ANN, ""),
                ErrorCode.INVALID_REQUEST,
                "reason is missing; a discarded event is never delivered: say why");
        refused(
                () -> commands.release(letter, ANN),
                ErrorCode.CONFLICT,
                "dead letter " + letter + " holds no key, so there is nothing to release");
        refused(
                () -> commands.defer("nobody", rows.id(seq), LATER, ANN),
                ErrorCode.NOT_FOUND,
                "there is no subscription named 'nobody'; check the spelling of subscription");
        refused(
                () -> commands.defer("", rows.id(seq), LATER, ANN),
                ErrorCode.INVALID_REQUEST,
                "subscription is missing");
        refused(
                () -> commands.defer("billing", new UUID(1, 2), LATER, ANN),
                ErrorCode.NOT_FOUND,
                "there is no event with id " + new UUID(1, 2) + " in the log");
        refused(
                () -> commands.defer("billing", rows.id(seq), Instant.parse("2020-01-01T00:00:00Z"), ANN),
                ErrorCode.INVALID_REQUEST,
                "until is 2020-01-01T00:00:00Z, which is past");
        refused(() -> commands.answer(4711), ErrorCode.NOT_FOUND, "there is no command with id 4711");
        discard(letter);
        for (ThrowingCallable late : new ThrowingCallable[] {
            () -> commands.release(letter, ANN), () -> commands.discard(letter, ANN, "again")
        }) {
            refused(
                    late,
                    ErrorCode.CONFLICT,
                    "dead letter " + letter + " was discarded by bob at 2026-01-01T00:00:00Z");
        }
        assertThat(database.number("SELECT count(*) FROM posthorn.command")).isZero();
    }

    private void discard(long id) {
        database.execute("UPDATE posthorn.dead_letter SET discarded_at = '2026-01-01Z', discarded_by = 'bob',"
                + " discard_reason = 'test' WHERE id = " + id);
    }

    private static void refused(ThrowingCallable work, ErrorCode code, String message) {
        assertThatThrownBy(work)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageStartingWith(message);
    }
}
