package dev.posthorn.relay.front;

import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import dev.posthorn.log.KeyHash;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Who is aboard, found by what an event says. */
final class Riders {

    /** While the filters differ no more than this, the statement that reads carries what they have in common. */
    private static final int FEW_FILTERS = 16;

    private static final int FEW_TYPES = 64;

    /** The lanes of one subscription, as far as they are aboard. */
    private static final class Lanes {
        private final @Nullable Rider[] byIndex;
        private int count;

        Lanes(int lanes) {
            this.byIndex = new Rider[lanes];
        }
    }

    /** Two generations of a subscription are two of these. */
    private record Share(long subscription, int lanes, Filter filter) {
        static Share of(Rider rider) {
            return new Share(
                    rider.grant().subscriptionId(),
                    rider.grant().scope().lanes(),
                    rider.grant().scope().filter());
        }
    }

    private final Map<Share, Lanes> shares = new HashMap<>();
    private final FilterIndex<Lanes> index = new FilterIndex<>();
    private final Map<Filter, Integer> filters = new HashMap<>();
    private final TreeMap<Duration, Integer> leastPolls = new TreeMap<>();
    private final TreeMap<Duration, Integer> mostPolls = new TreeMap<>();
    private int size;
    private @Nullable Filter union;

    boolean isEmpty() {
        return size == 0;
    }

    void add(Rider rider) {
        Share share = Share.of(rider);
        Lanes lanes = shares.get(share);
        if (lanes == null) {
            lanes = new Lanes(share.lanes());
            shares.put(share, lanes);
            index.add(share.filter(), lanes);
            count(filters, share.filter(), 1);
            union = null;
        }
        lanes.byIndex[rider.grant().scope().index()] = rider;
        lanes.count++;
        size++;
        countPolls(rider.subscription(), 1);
    }

    /** Does nothing about one who is not aboard. */
    boolean remove(Rider rider) {
        Share share = Share.of(rider);
        Lanes lanes = shares.get(share);
        int place = rider.grant().scope().index();
        if (lanes == null || lanes.byIndex[place] != rider) {
            return false;
        }
        lanes.byIndex[place] = null;
        size--;
        countPolls(rider.subscription(), -1);
        if (--lanes.count == 0) {
            shares.remove(share);
            index.remove(share.filter(), lanes);
            count(filters, share.filter(), -1);
            union = null;
        }
        return true;
    }

    Stream<Rider> all() {
        List<Rider> all = new ArrayList<>(size);
        for (Lanes lanes : shares.values()) {
            for (Rider rider : lanes.byIndex) {
                if (rider != null) {
                    all.add(rider);
                }
            }
        }
        return all.stream();
    }

    void forEach(Event event, Consumer<Rider> each) {
        long[] hash = {-1};
        index.forEach(event, lanes -> {
            if (hash[0] < 0) {
                hash[0] = KeyHash.of(event.key() == null ? event.id().toString() : event.key());
            }
            Rider rider = lanes.byIndex[(int) (hash[0] % lanes.byIndex.length)];
            if (rider != null) {
                each.accept(rider);
            }
        });
    }

    /** What has to be read so that nobody aboard misses anything. */
    Filter union() {
        if (union == null) {
            union = filters.size() > FEW_FILTERS ? Filter.ALL : together(filters.keySet());
        }
        return union;
    }

    private static Filter together(Set<Filter> few) {
        if (few.size() == 1) {
            return few.iterator().next();
        }
        Set<String> types = new LinkedHashSet<>();
        for (Filter filter : few) {
            types.addAll(filter.types());
            if (filter.types().isEmpty() || types.size() > FEW_TYPES) {
                return Filter.ALL;
            }
        }
        return Filter.types(types.toArray(String[]::new));
    }

    /** How soon somebody aboard wants to look again after something was found. */
    Duration pollLeast() {
        return leastPolls.firstKey();
    }

    /** How long somebody aboard would wait at most between two looks. */
    Duration pollMost() {
        return mostPolls.firstKey();
    }

    private void countPolls(Subscription subscription, int change) {
        count(leastPolls, subscription.pollLeast(), change);
        count(mostPolls, subscription.pollMost(), change);
    }

    private static <T> void count(Map<T, Integer> counts, T what, int change) {
        counts.merge(what, change, (a, b) -> a + b == 0 ? null : a + b);
    }
}
