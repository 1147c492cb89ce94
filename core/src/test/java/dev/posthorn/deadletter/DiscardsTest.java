package dev.posthorn.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.Discards.Discard;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.SchemaName;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DiscardsTest {

    private static final Actor ANN = new Actor("ann", "r-1");

    private TestDatabase database;
    private TroubleRows rows;
    private Discards discards;
    private Notes notes;
    private long billing;

    @BeforeEach
    void createDatabase() {
        database = TestDatabase.create();
        rows = new TroubleRows(database);
        discards = new Discards(database.dataSource(), SchemaName.DEFAULT);
        notes = new Notes(database.dataSource(), SchemaName.DEFAULT);
        billing = rows.subscriptionAt("billing", rows.snapshot());
    }

    private long letter(String key) {
        return rows.deadLetter(billing, rows.event("t", key), "E", "m 1", "m #");
    }

    private String audit() {
        return database.value("SELECT string_agg(concat_ws(' ', actor, action, target, count, reason, request_id), ';'"
                + " ORDER BY id) FROM posthorn.audit");
    }

    @Test
    void allThatMatchAreAskedForInOneTransactionWithOneAct() {
        long one = letter("a");
        long two = letter("b");
        letter("c");
        DeadLetterQuery query =
                DeadLetterQuery.builder().ids(List.of(one, two, 4711L)).build();
        assertThat(discards.preview(query)).isEqualTo(new Discard(2, 0, 0, List.of()));
        assertThat(database.number("SELECT count(*) FROM posthorn.command")).isZero();
        Discard discard = discards.discard(query, ANN, "test orders");
        assertThat(discard.discarding()).isEqualTo(2);
        assertThat(database.value("SELECT string_agg(concat_ws(' ', kind, key, requested_by, reason), ';' ORDER BY id)"
                        + " FROM posthorn.command"))
                .isEqualTo("DISCARD a ann test orders;DISCARD b ann test orders");
        assertThat(audit()).isEqualTo("ann dead-letter.discard dead-letter/* 2 test orders r-1");
        assertThat(database.value("SELECT detail->>'ids' FROM posthorn.audit")).isEqualTo(one + ", " + two + ", 4711");
        assertThat(discards.progress(discard)).isEqualTo(new Discards.Progress(2, 0));
        database.execute("UPDATE posthorn.command SET answered_at = now(), answer = 'discarded' WHERE key = 'a'");
        database.execute("UPDATE posthorn.command SET answered_at = now(), answer = 'nothing' WHERE key = 'b'");
        assertThat(discards.progress(discard)).isEqualTo(new Discards.Progress(0, 1));
    }

    @Test
    void whatIsBeingSentAgainIsLeftOutAndCounted() {
        long free = letter("a");
        long inReplay = letter("b");
        long waiting = letter("c");
        database.execute("INSERT INTO posthorn.replay_item (replay_id, subscription_id, seq, event_id, key_hash, state)"
                + " SELECT 7, subscription_id, seq, event_id, 0, 'PENDING' FROM posthorn.dead_letter WHERE id = "
                + inReplay);
        rows.delivery(
                billing, database.number("SELECT seq FROM posthorn.dead_letter WHERE id = " + waiting), "WAITING", 0);
        database.execute("UPDATE posthorn.delivery SET dead_letter_id = " + waiting);
        Discard discard = discards.discard(DeadLetterQuery.OPEN, ANN, "why");
        assertThat(discard.discarding()).isEqualTo(1);
        assertThat(discard.replaying()).isEqualTo(2);
        assertThat(database.value("SELECT key FROM posthorn.command"))
                .isEqualTo(database.value("SELECT key FROM posthorn.dead_letter WHERE id = " + free));
    }

    @Test
    void askingTwiceAsksOnce() {
        letter("a");
        discards.discard(DeadLetterQuery.OPEN, ANN, "why");
        Discard again = discards.discard(DeadLetterQuery.OPEN, ANN, "why");
        assertThat(again).isEqualTo(new Discard(0, 0, 1, List.of()));
        assertThat(database.number("SELECT count(*) FROM posthorn.command")).isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM posthorn.audit")).isEqualTo(1);
    }

    @Test
    void discardedLettersAreNeverDiscardedAgain() {
        letter("a");
        database.execute("UPDATE posthorn.dead_letter SET discarded_at = now(), discarded_by = 'bob'");
        DeadLetterQuery any =
                DeadLetterQuery.builder().state(DeadLetterQuery.State.ANY).build();
        assertThat(discards.discard(any, ANN, "why").matching()).isZero();
        assertThat(audit()).isNull();
    }

    @Test
    void aDiscardNeedsAReasonAndASubscriptionThatExists() {
        refused(() -> discards.discard(DeadLetterQuery.OPEN, ANN, " "), ErrorCode.INVALID_REQUEST, "reason is missing");
        refused(
                () -> discards.preview(
                        DeadLetterQuery.builder().subscription("biling").build()),
                ErrorCode.NOT_FOUND,
                "there is no subscription named 'biling'");
    }

    @Test
    void aNoteIsShownWithItsGroupUntilItIsCleared() {
        letter("a");
        Notes.Group group = new Notes.Group("billing", "E", "m #");
        notes.set(group, "ask Bob", ANN);
        notes.set(group, "Bob knows, ticket 17", ANN);
        DeadLetters letters = new DeadLetters(database.dataSource(), SchemaName.DEFAULT);
        DeadLetterGroup.Note note =
                letters.groups(DeadLetterQuery.OPEN).groups().get(0).note();
        assertThat(note.text()).isEqualTo("Bob knows, ticket 17");
        assertThat(note.by()).isEqualTo("ann");
        assertThat(note.at()).isNotNull();
        assertThat(notes.clear(group, ANN)).isTrue();
        assertThat(notes.clear(group, ANN)).isFalse();
        assertThat(letters.groups(DeadLetterQuery.OPEN).groups().get(0).note()).isNull();
        assertThat(audit())
                .isEqualTo(
                        "ann dead-letter.note subscription/billing r-1;ann dead-letter.note subscription/billing r-1;"
                                + "ann dead-letter.clear-note subscription/billing r-1");
        refused(
                () -> notes.set(new Notes.Group("billing", "E", "x"), "y", ANN),
                ErrorCode.NOT_FOUND,
                "subscription billing has no open dead letter of class 'E' and cause 'x'");
        refused(() -> notes.set(group, " ", ANN), ErrorCode.INVALID_REQUEST, "note is missing; to take it away");
    }

    private static void refused(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable work, ErrorCode code, String message) {
        assertThatThrownBy(work)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageStartingWith(message);
    }
}
