package dev.posthorn.relay.front;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Snapshot;
import dev.posthorn.log.Window;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stretches of the log that several lanes have to read, because they stand at one place and the front at another: all
 * that rode with a process that has died. Lanes that stand at one place are led to one end, and each piece on the way is
 * read once for all of them, however many there are and however long the way is. From there on they follow the front in its
 * own steps, which nobody has to read again.
 */
final class SharedReads {

    private static final int MOST_ENDS = 64;
    private static final int MOST_PIECES = 256;

    /** Of how many pieces there is room for, however large their events. */
    private static final int LEAST_PIECES = 16;

    /** Who is further behind is led to another end: to follow costs little, but for each lane. */
    private static final int MOST_STEPS = 64;

    /** Whoever wants the same comes within a pass of all lanes. */
    private static final long KEPT_NANOS = 5_000_000_000L;

    private record Place(Window window, long seq) {}

    /**
     * So many events of the log, whoever wants them.
     *
     * @param byType where those of a type are, in order: tens of thousands want a few of them each
     */
    private record Piece(Batch batch, Batch nothing, Map<String, List<Integer>> byType, long bytes) {

        static Piece of(Batch batch) {
            Map<String, List<Integer>> byType = new HashMap<>();
            for (int i = 0; i < batch.events().size(); i++) {
                String type = batch.events().get(i).event().type();
                byType.computeIfAbsent(type, t -> new ArrayList<>()).add(i);
            }
            return new Piece(
                    batch,
                    new Batch(List.of(), batch.window(), batch.next(), batch.now()),
                    byType,
                    batch.events().stream().mapToLong(RecordedEvent::bytes).sum());
        }

        Batch of(LaneScope scope) {
            Set<String> types = scope.filter().typesAmong(byType.keySet());
            if (types.isEmpty()) {
                return nothing;
            }
            List<RecordedEvent> its = types.stream()
                    .flatMap(type -> byType.getOrDefault(type, List.of()).stream())
                    .sorted()
                    .map(batch.events()::get)
                    .filter(scope::has)
                    .toList();
            return its.isEmpty() ? nothing : new Batch(its, batch.window(), batch.next(), batch.now());
        }
    }

    /** What the front has read from one snapshot to another. */
    private record Step(Ride.Tail end, Piece piece) {

        long bytes() {
            return piece.bytes();
        }
    }

    /**
     * Where those are led who stand at one place.
     *
     * @param steps how many the front had made when it was there
     */
    private record End(Ride.Tail tail, long steps) {}

    /** By the snapshot that they begin with, the last ones. */
    private final Map<Snapshot, Step> steps = new LinkedHashMap<>();

    /** By the snapshot at which they stand who are led there; those are forgotten of whom none has come for long. */
    private final Map<Snapshot, End> ends = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Snapshot, End> eldest) {
            return size() > MOST_ENDS;
        }
    };

    /** Null where nothing is known yet but that one has asked. */
    private final Map<Place, @Nullable Piece> pieces = new LinkedHashMap<>();

    private final FrontPorts.Portions portions;

    /** Of all pieces. */
    private long bytes;

    private long bytesOfSteps;

    /** How many steps the front has made. */
    private long made;

    /** Whether anybody is behind, and when the last one came who was. */
    private boolean wanted;

    private long lastUse;

    SharedReads(FrontPorts.Portions portions) {
        this.portions = portions;
    }

    /** The front has read that at its tail, whoever wants it. */
    void step(Batch batch, long read) {
        if (wanted && batch.endsWindow()) {
            made++;
            Window window = batch.window();
            Step step = new Step(new Ride.Tail(window.b(), read), Piece.of(batch));
            Step former = steps.put(window.a(), step);
            bytesOfSteps += step.bytes() - (former == null ? 0 : former.bytes());
            forgetFirstSteps();
        }
    }

    private void forgetFirstSteps() {
        Iterator<Step> first = steps.values().iterator();
        while (steps.size() > MOST_STEPS || bytesOfSteps > portions.bytes()) {
            bytesOfSteps -= first.next().bytes();
            first.remove();
        }
    }

    /**
     * Where whoever stands at the snapshot is to read to: to the end of the step that the front has made from there. Else where
     * the last one was sent who stood there, so that they can share the way, if it is long or from its end they can follow. Else
     * where the front stands now.
     *
     * @param since the number of his last read
     * @param tail where the front stands
     */
    Ride.Tail end(Snapshot from, long since, Ride.Tail tail, long now) {
        Step step = steps.get(from);
        End known = ends.get(from);
        if (step != null || known != null) {
            // Not the first who stands there.
            wanted(now);
        }
        if (step != null && step.end().read() > since) {
            return step.end();
        }
        if (known != null && known.tail().read() > since && (leadsOn(known, tail) || isLong(from, known))) {
            return known.tail();
        }
        ends.put(from, new End(tail, made));
        return tail;
    }

    private boolean leadsOn(End known, Ride.Tail tail) {
        return known.tail().equals(tail) || steps.containsKey(known.tail().snapshot());
    }

    private boolean isLong(Snapshot from, End known) {
        Piece first = pieces.get(new Place(new Window(from, known.tail().snapshot()), 0));
        return made == known.steps() && first != null && !first.batch().endsWindow();
    }

    /** What the lane has to read of the piece that begins there; null for the first who asks. */
    @Nullable
    Batch from(Cursor.Inside cursor, LaneScope scope, Supplier<EventLog> all, long now) {
        Step step = cursor.seq() == 0 ? steps.get(cursor.window().a()) : null;
        if (step != null && step.end().snapshot().equals(cursor.window().b())) {
            wanted(now);
            return step.piece().of(scope);
        }
        Place place = new Place(cursor.window(), cursor.seq());
        if (!pieces.containsKey(place)) {
            keep(place, null);
            return null;
        }
        wanted(now);
        Piece known = pieces.get(place);
        if (known == null) {
            known = Piece.of(all.get().read(cursor, portions.events(), mostBytes()));
            keep(place, known);
        }
        return known.of(scope);
    }

    private void wanted(long now) {
        wanted = true;
        lastUse = now;
    }

    /** What nobody has come for of late is not kept. */
    void forget(long now) {
        if (wanted && now - lastUse > KEPT_NANOS) {
            wanted = false;
            steps.clear();
            bytesOfSteps = 0;
            pieces.clear();
            bytes = 0;
        }
    }

    /** A part of all that is kept. */
    private long mostBytes() {
        return Math.max(1, portions.bytes() / LEAST_PIECES);
    }

    /** Whether the next piece of a way is there, or there is room for it beside those before: others come by them yet. */
    boolean keepsMore(Cursor.Inside cursor) {
        boolean hasRoom = bytes + mostBytes() <= portions.bytes() && pieces.size() < MOST_PIECES;
        return hasRoom
                || pieces.containsKey(new Place(cursor.window(), cursor.seq()))
                || !pieces.keySet().iterator().next().window().equals(cursor.window());
    }

    private void keep(Place place, @Nullable Piece piece) {
        pieces.put(place, piece);
        bytes += bytes(piece);
        Iterator<@Nullable Piece> eldest = pieces.values().iterator();
        while (pieces.size() > MOST_PIECES || (bytes > portions.bytes() && pieces.size() > 1)) {
            bytes -= bytes(eldest.next());
            eldest.remove();
        }
    }

    private static long bytes(@Nullable Piece piece) {
        return piece == null ? 0 : piece.bytes();
    }
}
