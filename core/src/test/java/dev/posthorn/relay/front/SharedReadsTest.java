package dev.posthorn.relay.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.Filter;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Snapshot;
import dev.posthorn.log.Window;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What thousands have to read who rode with a process that died. */
class SharedReadsTest {

    private static final int PIECE = 10;
    private static final int EVENTS = 95;
    private static final int LANES = 200;

    private final Snapshot from = new Snapshot("3:3:");
    private final Window window = new Window(from, new Snapshot("9:9:"));
    private final List<RecordedEvent> events =
            IntStream.rangeClosed(1, EVENTS).mapToObj(SharedReadsTest::event).toList();
    private final SharedReads shared = new SharedReads(new FrontPorts.Portions(PIECE, 1 << 20, 1000, 1000, 1000));
    private int reads;
    private long now;

    private static RecordedEvent event(int seq) {
        Event event = Event.builder()
                .type("t" + seq % LANES)
                .source("test")
                .key("k" + seq)
                .payload(new byte[1])
                .build();
        return new RecordedEvent(seq, event, Instant.EPOCH);
    }

    private Batch read(Cursor cursor, int limit, long bytes) {
        reads++;
        long after = ((Cursor.Inside) cursor).seq();
        List<RecordedEvent> some =
                events.stream().filter(each -> each.seq() > after).limit(limit).toList();
        Cursor next = some.size() < limit
                ? new Cursor.Tail(window.b())
                : new Cursor.Inside(window, some.get(limit - 1).seq(), new Cursor.Bounds(1, EVENTS));
        return new Batch(some, window, next, Instant.EPOCH);
    }

    /** A lane that reads as lanes do: by itself where it must. */
    private final class Reader {
        private final LaneScope scope;
        private final List<Long> got = new ArrayList<>();
        private Cursor cursor = Cursor.Inside.of(window, 0);

        Reader(int number) {
            this.scope = new LaneScope(Filter.types("t" + number), 1, 0, 0, null, null);
        }

        boolean readOn() {
            if (!(cursor instanceof Cursor.Inside inside)) {
                return false;
            }
            Batch batch = shared.from(inside, scope, () -> SharedReadsTest.this::read, now);
            if (batch == null) {
                batch = read(inside, PIECE, 1 << 20);
            }
            cursor = batch.next();
            return got.addAll(wanted(batch.events())) || cursor instanceof Cursor.Inside;
        }

        List<Long> wanted(List<RecordedEvent> some) {
            return some.stream().filter(scope::has).map(RecordedEvent::seq).toList();
        }
    }

    @Test
    void eachPieceOfALongStretchIsReadTwiceHoweverManyLanesThereAre() {
        List<Reader> lanes = IntStream.range(0, LANES).mapToObj(Reader::new).toList();
        boolean someReadOn = true;
        while (someReadOn) {
            someReadOn = lanes.stream().filter(Reader::readOn).count() > 0;
        }
        assertThat(lanes).allSatisfy(lane -> assertThat(lane.got).isEqualTo(lane.wanted(events)));
        assertThat(reads).isEqualTo(2 * (1 + EVENTS / PIECE));
    }

    /** A lane's share of a piece is looked up by type; the order of the log must not become that of the types. */
    @Test
    void whoWantsSeveralTypesGetsThemInTheOrderOfTheLog() {
        for (String[] types : new String[][] {{"t9", "t2", "t5"}, {"t*"}, {"t2*", "t1"}, {"x", "*5"}}) {
            LaneScope scope = new LaneScope(Filter.types(types), 2, 1, 0, null, null);
            List<Long> got = new ArrayList<>();
            Cursor cursor = Cursor.Inside.of(window, 0);
            while (cursor instanceof Cursor.Inside inside) {
                Batch batch = shared.from(inside, scope, () -> this::read, now);
                batch = batch == null ? shared.from(inside, scope, () -> this::read, now) : batch;
                assertThat(batch).isNotNull();
                batch.events().forEach(each -> got.add(each.seq()));
                cursor = batch.next();
            }
            assertThat(got)
                    .isEqualTo(events.stream()
                            .filter(scope::has)
                            .map(RecordedEvent::seq)
                            .toList());
        }
    }

    /** Where the way is short the front has moved on until the next one comes, who would never catch it up. */
    @Test
    void lanesOfOnePlaceAreSentToOneEndWhereTheWayIsLong() {
        Ride.Tail first = new Ride.Tail(window.b(), 7);
        Ride.Tail later = new Ride.Tail(new Snapshot("12:12:"), 9);
        assertThat(shared.end(from, 3, first, now)).isEqualTo(first);
        assertThat(shared.end(from, 3, later, now))
                .as("nobody knows how long it is")
                .isEqualTo(later);
        assertThat(shared.end(from, 3, first, now)).isEqualTo(first);
        new Reader(0).readOn();
        new Reader(1).readOn();
        assertThat(shared.end(from, 3, later, now)).isEqualTo(first);
        assertThat(shared.end(from, 7, later, now))
                .as("it has read as much by itself")
                .isEqualTo(later);
        assertThat(shared.end(new Snapshot("2:2:"), 3, later, now)).isEqualTo(later);
    }

    /** Thousands who come one after the other would each read another stretch, to where the front is just then. */
    @Test
    void fromThatEndOnTheyFollowTheFrontWhichReadsNothingAgain() {
        Ride.Tail first = new Ride.Tail(snapshot(100), 7);
        twoAreLedTo(first);
        step(100);
        step(101);
        assertThat(shared.end(from, 3, tail(102), now)).isEqualTo(first);
        for (int at = 100; at < 102; at++) {
            assertThat(shared.end(snapshot(at), 3, tail(102), now)).isEqualTo(tail(at + 1));
            Cursor.Inside cursor = Cursor.Inside.of(new Window(snapshot(at), snapshot(at + 1)), 0);
            Batch batch = shared.from(cursor, new Reader(at).scope, () -> this::read, now);
            assertThat(batch.events()).extracting(RecordedEvent::seq).containsExactly((long) at);
            assertThat(shared.from(cursor, new Reader(1).scope, () -> this::read, now)
                            .events())
                    .isEmpty();
            assertThat(batch.next()).isEqualTo(new Cursor.Tail(snapshot(at + 1)));
        }
        assertThat(reads).isZero();
    }

    @Test
    void whoIsFarBehindIsLedToAnotherEnd() {
        Ride.Tail first = new Ride.Tail(snapshot(100), 7);
        twoAreLedTo(first);
        IntStream.range(100, 164).forEach(this::step);
        assertThat(shared.end(from, 3, tail(164), now)).isEqualTo(first);
        step(164);
        assertThat(shared.end(from, 3, tail(165), now)).isEqualTo(tail(165));
        assertThat(shared.end(snapshot(100), 3, tail(165), now)).isEqualTo(tail(165));
        assertThat(shared.end(snapshot(101), 3, tail(165), now)).isEqualTo(tail(102));
    }

    @Test
    void nothingIsKeptForOneAloneNorForLong() {
        assertThat(shared.end(from, 3, tail(100), now)).isEqualTo(tail(100));
        Cursor.Inside way = Cursor.Inside.of(new Window(from, snapshot(100)), 0);
        assertThat(shared.from(way, new Reader(1).scope, () -> this::read, now)).isNull();
        step(100);
        assertThat(shared.end(snapshot(100), 3, tail(150), now)).isEqualTo(tail(150));
        twoAreLedTo(tail(200));
        step(200);
        assertThat(shared.end(snapshot(200), 3, tail(300), now)).isEqualTo(tail(201));
        now = 6_000_000_000L;
        shared.forget(now);
        assertThat(shared.end(snapshot(200), 3, tail(300), now)).isEqualTo(tail(300));
    }

    @Test
    void stepsAreKeptAsFarAsThereIsRoom() {
        SharedReads small = new SharedReads(new FrontPorts.Portions(PIECE, 10 * event(1).bytes(), 1000, 1000, 1000));
        IntStream.range(0, 2).forEach(i -> small.end(from, 3, tail(100), now));
        IntStream.range(100, 111).forEach(i -> step(small, i));
        assertThat(small.end(snapshot(100), 3, tail(111), now))
                .as("there was no room for it any more")
                .isEqualTo(tail(111));
        assertThat(small.end(snapshot(101), 3, tail(111), now)).isEqualTo(tail(102));
    }

    private void twoAreLedTo(Ride.Tail end) {
        IntStream.range(0, 2)
                .forEach(i -> assertThat(shared.end(from, 3, end, now)).isEqualTo(end));
    }

    private static Snapshot snapshot(int number) {
        return new Snapshot(number + ":" + number + ":");
    }

    private static Ride.Tail tail(int number) {
        return new Ride.Tail(snapshot(number), number);
    }

    /** The front reads an event that the lane of its number wants. */
    private void step(int number) {
        step(shared, number);
    }

    private static void step(SharedReads shared, int number) {
        Window window = new Window(snapshot(number), snapshot(number + 1));
        Cursor.Tail end = new Cursor.Tail(window.b());
        shared.step(new Batch(List.of(event(number)), window, end, Instant.EPOCH), number + 1);
    }
}
