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

    private final Snapshot from = new Snapshot("1:1:");
    private final Window window = new Window(from, new Snapshot("9:9:"));
    private final List<RecordedEvent> events =
            IntStream.rangeClosed(1, EVENTS).mapToObj(SharedReadsTest::event).toList();
    private final SharedReads shared = new SharedReads(new FrontPorts.Portions(PIECE, 1 << 20, 1000, 1000));
    private int reads;

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
            Batch batch = shared.from(inside, scope, SharedReadsTest.this::read);
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

    /** Where the way is short the front has moved on until the next one comes, who would never catch it up. */
    @Test
    void lanesOfOnePlaceAreSentToOneEndWhereTheWayIsLong() {
        Ride.Tail first = new Ride.Tail(window.b(), 7);
        Ride.Tail later = new Ride.Tail(new Snapshot("12:12:"), 9);
        assertThat(shared.end(from, 3, first)).isEqualTo(first);
        assertThat(shared.end(from, 3, later)).as("nobody knows how long it is").isEqualTo(later);
        assertThat(shared.end(from, 3, first)).isEqualTo(first);
        new Reader(0).readOn();
        new Reader(1).readOn();
        assertThat(shared.end(from, 3, later)).isEqualTo(first);
        assertThat(shared.end(from, 7, later))
                .as("it has read as much by itself")
                .isEqualTo(later);
        assertThat(shared.end(new Snapshot("2:2:"), 3, later)).isEqualTo(later);
    }
}
