package dev.posthorn.faults.harness;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What somebody got, in the order in which they got it, and what was wrong with that. Used by one thread at a time. */
public final class Ledger {

    private static final int EXAMPLES = 3;

    private final String name;
    private final Set<UUID> seen = new HashSet<>();
    private final Map<String, Long> greatest = new HashMap<>();
    private final List<String> examples = new ArrayList<>();
    private long repeated;
    private long doubled;
    private long skipped;
    private long reordered;
    private volatile boolean failed;

    public Ledger(String name) {
        this.name = name;
    }

    /** Notes one change. True if it was there before. */
    public boolean note(Change change, Predicate<Change> mayRepeat) {
        if (!seen.add(change.id())) {
            noteAgain(change, mayRepeat);
            return true;
        }
        long before = greatest.getOrDefault(change.aggregate(), 0L);
        if (change.counter() == before + 1) {
            greatest.put(change.aggregate(), change.counter());
        } else if (change.counter() > before) {
            skipped++;
            greatest.put(change.aggregate(), change.counter());
            fail(change, "came after " + before);
        } else {
            reordered++;
            fail(change, "came after " + before);
        }
        return false;
    }

    private void noteAgain(Change change, Predicate<Change> mayRepeat) {
        repeated++;
        if (!mayRepeat.test(change)) {
            doubled++;
            fail(change, "came again though it was settled");
        }
    }

    private void fail(Change change, String what) {
        failed = true;
        if (examples.size() < EXAMPLES) {
            examples.add(change.aggregate() + " " + change.counter() + " " + what);
        }
    }

    /** Whether something is known to be wrong already. From any thread. */
    public boolean hasFailed() {
        return failed;
    }

    public int distinct() {
        return seen.size();
    }

    /** Compares with what was committed, all of which should have come. */
    public Verdict verdict(List<Change> committed, Predicate<Change> wanted) {
        Set<UUID> phantoms = new HashSet<>(seen);
        long lost = 0;
        for (Change change : committed) {
            if (wanted.test(change) && !phantoms.remove(change.id())) {
                lost++;
                fail(change, "never came");
            }
        }
        return new Verdict(name, seen.size(), lost, phantoms.size(), repeated, doubled, skipped, reordered, examples);
    }

    /**
     * The outcome for one reader or receiver.
     *
     * @param read different changes that came
     * @param lost committed, and never came
     * @param phantom came, though not committed or not wanted
     * @param repeated came again
     * @param doubled of these: what must not have
     * @param skipped came before an earlier one of its aggregate; the earlier one is then lost or reordered
     * @param reordered came after a later one of its aggregate
     */
    public record Verdict(
            String name,
            long read,
            long lost,
            long phantom,
            long repeated,
            long doubled,
            long skipped,
            long reordered,
            List<String> examples) {

        public Verdict {
            examples = List.copyOf(examples);
        }

        /** To add others to. */
        public static Verdict none(String name) {
            return new Verdict(name, 0, 0, 0, 0, 0, 0, 0, List.of());
        }

        /** That of both together, under the name of this one. */
        public Verdict and(Verdict other) {
            return new Verdict(
                    name,
                    read + other.read,
                    lost + other.lost,
                    phantom + other.phantom,
                    repeated + other.repeated,
                    doubled + other.doubled,
                    skipped + other.skipped,
                    reordered + other.reordered,
                    Stream.of(examples, other.examples)
                            .flatMap(List::stream)
                            .limit(EXAMPLES)
                            .toList());
        }

        public boolean isClean() {
            return lost + phantom + doubled + skipped + reordered == 0;
        }

        @Override
        public String toString() {
            return name + ": " + read + " read, " + repeated + " repeated, " + lost + " lost, " + phantom + " phantom, "
                    + doubled + " doubled, " + reordered + " reordered"
                    + (examples.isEmpty() ? "" : " (" + String.join("; ", examples) + ")");
        }
    }
}
