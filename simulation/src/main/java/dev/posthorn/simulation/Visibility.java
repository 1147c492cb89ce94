package dev.posthorn.simulation;

import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import dev.posthorn.simulation.Tables.EventRow;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a snapshot sees, calculated as PostgreSQL does: a transaction is seen once it has ended. */
record Visibility(long xmin, long xmax, List<Long> running) {

    static Visibility of(Snapshot snapshot) {
        String[] parts = snapshot.text().split(":", -1);
        List<Long> running = parts[2].isEmpty()
                ? List.of()
                : Arrays.stream(parts[2].split(",")).map(Long::valueOf).toList();
        return new Visibility(Long.parseLong(parts[0]), Long.parseLong(parts[1]), running);
    }

    boolean sees(long txid) {
        return txid < xmin || (txid < xmax && !running.contains(txid));
    }

    /** Whether it may have been taken later, or at the same time: it sees all that the other sees. */
    boolean isNotBefore(Visibility other) {
        return xmin >= other.xmin && xmax >= other.xmax && other.running.containsAll(runningBelow(other.xmax));
    }

    private List<Long> runningBelow(long bound) {
        return running.stream().filter(xid -> xid < bound).toList();
    }

    /** What a mark covers. */
    record Reach(Visibility a, Visibility b, long seq) {

        boolean covers(EventRow event) {
            return a.sees(event.txid) || (event.seq() <= seq && b.sees(event.txid));
        }
    }

    /** Snapshots by their text, each taken apart once. */
    static final class Cache {

        private final Map<String, Visibility> parsed = new HashMap<>();

        Visibility of(Snapshot snapshot) {
            Visibility known = parsed.get(snapshot.text());
            return known == null ? add(snapshot) : known;
        }

        private Visibility add(Snapshot snapshot) {
            Visibility taken = Visibility.of(snapshot);
            parsed.put(snapshot.text(), taken);
            return taken;
        }

        Reach of(Mark mark) {
            return new Reach(of(mark.a()), of(mark.b()), mark.seq());
        }

        boolean sees(Snapshot snapshot, long txid) {
            return of(snapshot).sees(txid);
        }

        boolean covers(Mark mark, long txid, long seq) {
            return sees(mark.a(), txid) || (seq <= mark.seq() && sees(mark.b(), txid));
        }
    }
}
