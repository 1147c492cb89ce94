package dev.posthorn.simulation;

import dev.posthorn.log.Snapshot;
import dev.posthorn.simulation.Tables.EventRow;
import dev.posthorn.simulation.Tables.GenerationRow;
import dev.posthorn.simulation.Tables.SubscriptionRow;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which events were committed when each generation of a subscription began, told from the commits themselves and not
 * from snapshots. So it knows which filter an event fell under without calculating with transaction ids.
 */
final class Past {

    private final ModelDatabase database;
    private final SubscriptionRow subscription;

    /** What was committed before each generation, and at the registration. */
    private final List<BitSet> before = new ArrayList<>();

    private final BitSet atRegistration;
    private @Nullable BitSet atStop;
    private @Nullable Snapshot stop;

    /** By generation and shape. */
    private final Map<GenerationRow, Map<String, Boolean>> wanted = new HashMap<>();

    Past(ModelDatabase database, SubscriptionRow subscription, boolean fromNow) {
        this.database = database;
        this.subscription = subscription;
        this.atRegistration = committed();
        before.add(fromNow ? atRegistration : new BitSet());
    }

    /** By seq. */
    private BitSet committed() {
        BitSet seqs = new BitSet();
        database.log.values().forEach(row -> seqs.set(bit(row)));
        return seqs;
    }

    private static int bit(EventRow row) {
        return Math.toIntExact(row.seq());
    }

    /** These were never committed; their numbers go to others. */
    void forget(List<EventRow> lost) {
        lost.forEach(row -> {
            before.forEach(some -> some.clear(bit(row)));
            atRegistration.clear(bit(row));
            if (atStop != null) {
                atStop.clear(bit(row));
            }
        });
    }

    /** To be called after every step in which a generation may have begun or been stopped. True if one has begun. */
    boolean look() {
        boolean begun = subscription.generation > before.size();
        if (begun) {
            before.add(atStop == null ? committed() : atStop);
            atStop = null;
        }
        if (!Objects.equals(subscription.stopAt, stop)) {
            // Set, or taken back with the change that it was for.
            stop = subscription.stopAt;
            atStop = stop == null ? null : committed();
        }
        return begun;
    }

    /** The number of the generation that the event belongs to; 0 if the subscription began after it. */
    int generation(EventRow event) {
        for (int number = before.size(); number > 0; number--) {
            if (!before.get(number - 1).get(bit(event))) {
                return number;
            }
        }
        return 0;
    }

    boolean isWanted(EventRow event) {
        int number = generation(event);
        return number > 0 && isWanted(event, subscription.generations.get(number - 1));
    }

    private boolean isWanted(EventRow event, GenerationRow generation) {
        boolean matches = wanted.computeIfAbsent(generation, each -> new HashMap<>())
                .computeIfAbsent(event.shape, shape -> generation.filter.wants(event.recorded.event()));
        boolean tooOld = generation.since != null
                && atRegistration.get(bit(event))
                && ModelDatabase.micros(event.recorded.createdAt()) < generation.since;
        return matches && !tooOld;
    }
}
