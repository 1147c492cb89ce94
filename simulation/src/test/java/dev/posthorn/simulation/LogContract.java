package dev.posthorn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.Filter;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Snapshot;
import dev.posthorn.log.Window;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a lane relies on when it reads the log. */
abstract class LogContract extends Contract {

    private Cursor read(EventLog log, Cursor from, List<Long> into) {
        Batch batch = log.read(from, 100, MANY_BYTES);
        into.addAll(seqs(batch));
        return batch.next();
    }

    @Test
    void aWindowHoldsWhatWasCommittedSinceTheLast() {
        EventLog log = store.log(whole());
        List<Long> first = record("a", "b");
        Batch batch = log.read(new Cursor.Tail(Snapshot.NOTHING), 100, MANY_BYTES);
        assertThat(seqs(batch)).isEqualTo(first);
        assertThat(batch.endsWindow()).isTrue();
        assertThat(batch.window().a()).isEqualTo(Snapshot.NOTHING);
        assertThat(log.read(batch.next(), 100, MANY_BYTES).events()).isEmpty();
        List<Long> second = record("c");
        assertThat(seqs(log.read(batch.next(), 100, MANY_BYTES))).isEqualTo(second);
    }

    @Test
    void whatIsCommittedLateIsReadLateThoughItsSeqIsLower() {
        EventLog log = store.log(whole());
        int late = store.begin();
        long low = store.insert(late, event("a"));
        List<Long> read = new ArrayList<>();
        List<Long> high = record("b");
        Cursor cursor = read(log, new Cursor.Tail(Snapshot.NOTHING), read);
        assertThat(read).isEqualTo(high);
        store.commit(late);
        read(log, cursor, read);
        assertThat(read).containsExactly(high.get(0), low);
    }

    @Test
    void whatIsRolledBackIsNeverRead() {
        EventLog log = store.log(whole());
        int transaction = store.begin();
        store.insert(transaction, event("a"));
        List<Long> read = new ArrayList<>();
        Cursor cursor = read(log, new Cursor.Tail(Snapshot.NOTHING), read);
        store.rollback(transaction);
        read(log, cursor, read);
        assertThat(read).isEmpty();
    }

    @Test
    void aWindowOfMoreThanABatchIsFrozenAndReadToItsEndBySeq() {
        EventLog log = store.log(whole());
        int straggler = store.begin();
        int other = store.begin();
        long one = store.insert(other, event("a"));
        store.commit(other);
        Cursor start =
                log.read(new Cursor.Tail(Snapshot.NOTHING), 100, MANY_BYTES).next();
        List<Long> main = new ArrayList<>(record("b", "c"));
        long merged = store.insert(straggler, event("d"));
        main.addAll(record("e"));
        store.commit(straggler);
        Batch frozen = log.read(start, 2, MANY_BYTES);
        assertThat(frozen.events()).isEmpty();
        assertThat(frozen.endsWindow()).isFalse();
        record("too late for the window");
        List<Long> read = new ArrayList<>();
        Cursor cursor = frozen.next();
        while (cursor instanceof Cursor.Inside) {
            Batch batch = log.read(cursor, 2, MANY_BYTES);
            assertThat(batch.events()).hasSizeLessThanOrEqualTo(2);
            assertThat(batch.window()).isEqualTo(frozen.window());
            read.addAll(seqs(batch));
            cursor = batch.next();
        }
        assertThat(read)
                .containsExactly(main.get(0), main.get(1), merged, main.get(2))
                .doesNotContain(one);
        assertThat(cursor).isEqualTo(new Cursor.Tail(frozen.window().b()));
    }

    @Test
    void aReadEndsWithTheEventThatReachesTheBytes() {
        EventLog log = store.log(whole());
        List<Long> all = record("a", "b", "c", "d");
        Batch frozen = log.read(new Cursor.Tail(Snapshot.NOTHING), 100, 250);
        assertThat(frozen.events()).isEmpty();
        Batch batch = log.read(frozen.next(), 100, 250);
        assertThat(seqs(batch)).isEqualTo(all.subList(0, 3));
        assertThat(seqs(log.read(batch.next(), 100, 1))).isEqualTo(all.subList(3, 4));
    }

    @Test
    void whatWasRunningAtTheEndOfAWindowIsNotPartOfIt() {
        EventLog log = store.log(whole());
        int running = store.begin();
        long later = store.insert(running, event("a"));
        List<Long> seen = record("b");
        Window window =
                log.read(new Cursor.Tail(Snapshot.NOTHING), 100, MANY_BYTES).window();
        store.commit(running);
        assertThat(seqs(log.read(Cursor.Inside.of(window, 0), 100, MANY_BYTES))).isEqualTo(seen);
        assertThat(seqs(log.read(new Cursor.Tail(window.b()), 100, MANY_BYTES))).containsExactly(later);
    }

    @Test
    void lanesShareTheKeysAndTheFilterChooses() {
        int transaction = store.begin();
        List<Long> wanted = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            wanted.add(store.insert(transaction, event(i % 5 == 0 ? null : "k" + i, "order.placed")));
            store.insert(transaction, event("k" + i, "invoice.sent"));
        }
        store.commit(transaction);
        List<Long> read = new ArrayList<>();
        for (int lane = 0; lane < 3; lane++) {
            LaneScope scope = new LaneScope(Filter.types("order.*"), 3, lane, 0, null, null);
            read(store.log(scope), new Cursor.Tail(Snapshot.NOTHING), read);
        }
        assertThat(read).containsExactlyInAnyOrderElementsOf(wanted);
    }

    @Test
    void theFilterChoosesByHeaders() {
        int transaction = store.begin();
        store.insert(transaction, event("k"));
        store.insert(transaction, event(Map.of("tenant", "8")));
        long wanted = store.insert(transaction, event(Map.of("tenant", "7", "region", "eu")));
        store.commit(transaction);
        LaneScope scope = new LaneScope(Filter.ALL.header("tenant", "7"), 1, 0, 0, null, null);
        List<Long> read = new ArrayList<>();
        read(store.log(scope), new Cursor.Tail(Snapshot.NOTHING), read);
        assertThat(read).containsExactly(wanted);
    }

    private static Event event(Map<String, String> headers) {
        return Event.builder()
                .source("test")
                .type("test.happened")
                .headers(headers)
                .payload(new byte[1])
                .build();
    }

    @Test
    void anEventIsDeferredIfItsTimeHasNotComeAtTheRead() {
        int transaction = store.begin();
        RecordedEvent[] events = new RecordedEvent[1];
        store.insert(
                transaction,
                Event.builder()
                        .source("test")
                        .type("later")
                        .payload(new byte[1])
                        .deliverAt(StoreFixture.START.plusSeconds(10))
                        .build());
        store.commit(transaction);
        Batch batch = store.log(whole()).read(new Cursor.Tail(Snapshot.NOTHING), 100, MANY_BYTES);
        events[0] = batch.events().get(0);
        assertThat(batch.isDeferred(events[0])).isTrue();
        store.advance(Duration.ofSeconds(11));
        Window window = batch.window();
        assertThat(store.log(whole())
                        .read(Cursor.Inside.of(window, 0), 100, MANY_BYTES)
                        .isDeferred(events[0]))
                .isFalse();
    }
}
