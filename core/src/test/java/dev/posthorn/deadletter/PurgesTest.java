package dev.posthorn.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.DeadLetterQuery.State;
import dev.posthorn.deadletter.Purges.Purge;
import dev.posthorn.log.SchemaName;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PurgesTest {

    private static final Actor ANN = new Actor("ann", "r-1");
    private static final DeadLetterQuery ANY =
            DeadLetterQuery.builder().state(State.ANY).build();

    private TestDatabase database;
    private TroubleRows rows;
    private Purges purges;
    private long billing;

    @BeforeEach
    void createDatabase() {
        database = TestDatabase.create();
        rows = new TroubleRows(database);
        purges = new Purges(database.dataSource(), SchemaName.DEFAULT);
        billing = rows.subscriptionAt("billing", rows.snapshot());
    }

    private long letter(String key) {
        return rows.deadLetter(billing, rows.event("t", key), "E", "m 1", "m #");
    }

    private void discard(long letter) {
        database.execute(
                "UPDATE posthorn.dead_letter SET discarded_at = now(), discarded_by = 'bob' WHERE id = " + letter);
    }

    @Test
    void openAndDiscardedOnesAreAskedForAndTheAuditNamesEach() {
        long open = letter("a");
        long discarded = letter("b");
        discard(discarded);
        assertThat(purges.preview(DeadLetterQuery.OPEN).purging()).isEqualTo(1);
        assertThat(purges.preview(ANY)).isEqualTo(new Purge(2, 0, 0, List.of()));
        assertThat(database.number("SELECT count(*) FROM posthorn.command")).isZero();

        Purge purge = purges.purge(ANY, ANN, "an address");
        assertThat(purge.purging()).isEqualTo(2);
        assertThat(database.value("SELECT string_agg(concat_ws(' ', kind, key, requested_by, reason), ';' ORDER BY id)"
                        + " FROM posthorn.command"))
                .isEqualTo("PURGE a ann an address;PURGE b ann an address");
        assertThat(database.value("SELECT string_agg(concat_ws(' ', actor, action, target, count, reason, request_id,"
                        + " detail->>'deadLetters', detail->>'eventIds', detail->>'state'), ';') FROM posthorn.audit"))
                .isEqualTo("ann dead-letter.purge dead-letter/* 2 an address r-1 " + open + ", " + discarded + " "
                        + rows.id(1) + ", " + rows.id(2) + " ANY");
        database.execute("UPDATE posthorn.command SET answered_at = now(), answer = 'purged' WHERE key = 'a'");
        assertThat(purges.progress(purge)).isEqualTo(new Purges.Progress(1, 1));
    }

    @Test
    void whatIsBeingSentAgainOrAskedForAlreadyIsLeftOutAndCounted() {
        long inReplay = letter("a");
        letter("b");
        database.execute("INSERT INTO posthorn.replay_item (replay_id, subscription_id, seq, event_id, key_hash, state)"
                + " SELECT 7, subscription_id, seq, event_id, 0, 'PENDING' FROM posthorn.dead_letter WHERE id = "
                + inReplay);
        assertThat(purges.purge(ANY, ANN, "why").purging()).isEqualTo(1);
        assertThat(purges.purge(ANY, ANN, "why")).isEqualTo(new Purge(0, 1, 1, List.of()));
        assertThat(database.number("SELECT count(*) FROM posthorn.audit")).isEqualTo(1);
        assertThat(new Discards(database.dataSource(), SchemaName.DEFAULT)
                        .preview(DeadLetterQuery.OPEN)
                        .alreadyAsked())
                .as("what is purged is discarded with it")
                .isEqualTo(1);
    }

    @Test
    void moreThanAnEntryOfTheAuditHoldsAreNamedBySeveral() {
        for (int i = 0; i < 201; i++) {
            letter("k" + i);
        }
        assertThat(purges.purge(ANY, ANN, "why").purging()).isEqualTo(201);
        assertThat(database.value("SELECT string_agg(count::text, ' ' ORDER BY id) FROM posthorn.audit"))
                .isEqualTo("200 1");
        assertThat(database.number("SELECT count(DISTINCT named) FROM posthorn.audit,"
                        + " unnest(string_to_array(detail->>'eventIds', ', ')) named"))
                .as("none is cut off")
                .isEqualTo(201);
    }

    @Test
    void whatWasPurgedIsInNoList() {
        long letter = letter("a");
        discard(letter);
        database.execute("UPDATE posthorn.dead_letter SET purged_at = now()");
        DeadLetters letters = new DeadLetters(database.dataSource(), SchemaName.DEFAULT);
        for (State state : State.values()) {
            DeadLetterQuery query = DeadLetterQuery.builder().state(state).build();
            assertThat(letters.find(query).letters()).as(state.name()).isEmpty();
            assertThat(letters.groups(query).groups()).as(state.name()).isEmpty();
            assertThat(purges.preview(query).matching()).as(state.name()).isZero();
        }
        assertThatThrownBy(() -> letters.get(letter)).hasMessageContaining("or purged");
    }

    @Test
    void aPurgeNeedsAReason() {
        assertThatThrownBy(() -> purges.purge(ANY, ANN, ""))
                .hasMessageStartingWith("reason is missing; a purged dead letter is gone for good");
    }
}
