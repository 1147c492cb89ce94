package dev.posthorn.relay.front;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Snapshot;
import dev.posthorn.log.Window;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Stretches of the log that several lanes have to read, because they stand at one place and the front at another: all
 * that rode with a process that has died. Lanes that stand at one place are led to one end, and each piece on the way is
 * read once for all of them, however many there are and however long the way is.
 */
final class SharedReads {

    private static final int MOST = 8;
    private static final long BYTES = 1 << 20;

    private record Place(Window window, long seq) {}

    /** So many events of the log, whoever wants them. */
    private record Piece(Batch batch, Set<String> types) {

        static Piece of(Batch batch) {
            return new Piece(
                    batch,
                    batch.events().stream().map(each -> each.event().type()).collect(Collectors.toUnmodifiableSet()));
        }

        Batch of(LaneScope scope) {
            List<RecordedEvent> its = scope.filter().mayWantAny(types)
                    ? batch.events().stream().filter(scope::has).toList()
                    : List.of();
            return new Batch(its, batch.window(), batch.next(), batch.now());
        }
    }

    private final Map<Snapshot, Ride.Tail> ends = few();

    /** Null where nothing is known yet but that one has asked. */
    private final Map<Place, @Nullable Piece> pieces = few();

    private final FrontPorts.Portions portions;

    SharedReads(FrontPorts.Portions portions) {
        this.portions = portions;
    }

    private static <K, V extends @Nullable Object> Map<K, V> few() {
        return new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > MOST;
            }
        };
    }

    /**
     * Where whoever stands at the snapshot is to read to. If the way is long, where the last one was sent who stood there, so that
     * they can share it. If it is short, where the front stands now: it moves on all the time, and whoever comes to
     * where it stood has to read again.
     *
     * @param since the number of his last read
     * @param tail where the front stands
     */
    Ride.Tail end(Snapshot from, long since, Ride.Tail tail) {
        Ride.Tail known = ends.get(from);
        if (known != null && known.read() > since && isLong(new Window(from, known.snapshot()))) {
            return known;
        }
        ends.put(from, tail);
        return tail;
    }

    private boolean isLong(Window way) {
        Piece first = pieces.get(new Place(way, 0));
        return first != null && !first.batch().endsWindow();
    }

    /** What the lane has to read of the piece that begins there; null for the first who asks. */
    @Nullable
    Batch from(Cursor.Inside cursor, LaneScope scope, EventLog all) {
        Place place = new Place(cursor.window(), cursor.seq());
        if (!pieces.containsKey(place)) {
            pieces.put(place, null);
            return null;
        }
        Piece known = pieces.get(place);
        if (known == null) {
            known = Piece.of(all.read(cursor, portions.events(), Math.min(BYTES, portions.bytes())));
            pieces.put(place, known);
        }
        return known.of(scope);
    }
}
