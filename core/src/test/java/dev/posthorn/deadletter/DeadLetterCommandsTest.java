package dev.posthorn.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
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
        CommandTicket replay = commands.replay(letter, "ann");
        assertThat(row(replay)).isEqualTo("t REPLAY " + event() + " ann");
        assertThat(replay.requestedAt()).isBefore(LATER);
        assertThat(row(commands.discard(letter, "ann", "a test order")))
                .isEqualTo("t DISCARD " + event() + " ann a test order");
        assertThat(row(commands.defer("billing", rows.id(seq), LATER, "ann")))
                .isEqualTo("t DEFER " + event() + " 2100-01-01 00:00:00 ann");
        database.execute("UPDATE posthorn.dead_letter SET holds_key = true");
        assertThat(row(commands.release(letter, "ann"))).isEqualTo("t RELEASE " + event() + " ann");
    }

    @Test
    void aReplayOfAKeyNamesItsFirstOpenLetter() {
        long second = rows.event("k");
        rows.deadLetter(subscription, second, "E", "m", "m");
        assertThat(row(commands.replayKey("billing", "k", "ann"))).isEqualTo("t REPLAY_KEY " + event() + " ann");
        discard(letter);
        assertThat(row(commands.replayKey("billing", "k", "ann")))
                .isEqualTo("t REPLAY_KEY k " + rows.id(second) + " " + second + " ann");
        database.execute("UPDATE posthorn.dead_letter SET discarded_at = now()");
        refused(
                () -> commands.replayKey("billing", "k", "ann"),
                ErrorCode.NOT_FOUND,
                "subscription billing has no open dead letter of key 'k', so there is nothing to replay");
    }

    @Test
    void anEventThatWaitsLongerThanTheLogIsKeptCanBeDeferred() {
        UUID id = rows.id(seq);
        database.execute("INSERT INTO posthorn.kept_event SELECT * FROM posthorn.event");
        database.execute("DELETE FROM posthorn.event");
        assertThat(row(commands.defer("billing", id, LATER, "ann"))).contains("DEFER k " + id + " " + seq);
    }

    @Test
    void anUnorderedEventHasNoKeyInItsCommand() {
        database.execute("UPDATE posthorn.dead_letter SET key = NULL");
        assertThat(row(commands.replay(letter, "ann"))).isEqualTo("t REPLAY " + rows.id(seq) + " " + seq + " ann");
    }

    @Test
    void theAnswerIsThereOnceTheOwnerHasWrittenIt() {
        long id = commands.replay(letter, "ann").id();
        assertThat(commands.answer(id)).isEmpty();
        assertThat(commands.await(id, Duration.ofMillis(30))).isEmpty();
        CompletableFuture<CommandAnswer> awaited = CompletableFuture.supplyAsync(
                () -> commands.await(id, Duration.ofSeconds(20)).orElseThrow());
        database.execute(
                "UPDATE posthorn.command SET answered_at = '2026-01-01Z', answer = 'replayed' WHERE id = " + id);
        CommandAnswer answer = new CommandAnswer("replayed", Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(awaited.join()).isEqualTo(answer);
        assertThat(commands.answer(id)).hasValue(answer);
    }

    @Test
    void whoeverWaitsCanBeInterrupted() {
        long id = commands.replay(letter, "ann").id();
        Thread.currentThread().interrupt();
        assertThat(commands.await(id, Duration.ofHours(1))).isEmpty();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whatCannotBeDoneIsRefusedAtOnceAndLeavesNoRow() {
        refused(() -> commands.replay(4711, "ann"), ErrorCode.NOT_FOUND, "there is no dead letter with id 4711");
        refused(() -> commands.replay(letter, " "), ErrorCode.INVALID_REQUEST, "by is missing; say who asks for it");
        refused(
                () -> commands.replay(letter, "a".repeat(256)),
                ErrorCode.INVALID_REQUEST,
                "by has 256 characters; the limit is 255");
        refused(
                () -> commands.discard(letter, "ann", ""),
                ErrorCode.INVALID_REQUEST,
                "reason is missing; a discarded event is never delivered: say why");
        refused(
                () -> commands.release(letter, "ann"),
                ErrorCode.CONFLICT,
                "dead letter " + letter + " holds no key, so there is nothing to release");
        refused(
                () -> commands.replayKey("nobody", "k", "ann"),
                ErrorCode.NOT_FOUND,
                "there is no subscription named 'nobody'; check the spelling of subscription");
        refused(() -> commands.replayKey("", "k", "ann"), ErrorCode.INVALID_REQUEST, "subscription is missing");
        refused(() -> commands.replayKey("billing", "", "ann"), ErrorCode.INVALID_REQUEST, "key is missing");
        refused(
                () -> commands.defer("billing", new UUID(1, 2), LATER, "ann"),
                ErrorCode.NOT_FOUND,
                "there is no event with id " + new UUID(1, 2) + " in the log");
        refused(
                () -> commands.defer("billing", rows.id(seq), Instant.parse("2020-01-01T00:00:00Z"), "ann"),
                ErrorCode.INVALID_REQUEST,
                "until is 2020-01-01T00:00:00Z, which is past");
        refused(() -> commands.answer(4711), ErrorCode.NOT_FOUND, "there is no command with id 4711");
        discard(letter);
        for (ThrowingCallable late : new ThrowingCallable[] {
            () -> commands.replay(letter, "ann"),
            () -> commands.release(letter, "ann"),
            () -> commands.discard(letter, "ann", "again")
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
