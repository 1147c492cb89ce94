package dev.posthorn.metrics;

import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Which subscriptions have series of their own, shared by all metrics of an instance. If those are the busiest, they are
 * chosen anew with each reading of the figures: by what this instance has tried for them in the last minute or so, and by the
 * trouble that they are in. While there is room for more, whoever has something to tell is shown at once: what happens before
 * the first reading would be in no series ever.
 */
public final class ShownSubscriptions {

    /** With a reading every five seconds, half of what was tried is forgotten in half a minute. */
    private static final double KEPT = 0.9;

    private static final double FORGOTTEN = 0.01;

    private final PerSubscription wanted;
    private final List<Consumer<String>> hiders = new CopyOnWriteArrayList<>();
    private final Map<String, Long> tried = new ConcurrentHashMap<>();
    private final Map<String, Double> activity = new HashMap<>();

    /** Replaced as a whole and without a lock: who asks whether one is shown keeps others from being hidden meanwhile. */
    private final AtomicReference<Set<String>> shown = new AtomicReference<>(Set.of());

    public ShownSubscriptions(PerSubscription wanted) {
        this.wanted = wanted;
    }

    /** Something was tried for it. */
    void tried(String subscription, int events) {
        if (!wanted.isAll() && wanted.most() > 0) {
            tried.merge(subscription, (long) events, Long::sum);
        }
    }

    /** It is shown from now on if there is room for it. */
    boolean isShown(String subscription) {
        return wanted.isAll()
                || shown.updateAndGet(former -> with(subscription, former)).contains(subscription);
    }

    private Set<String> with(String subscription, Set<String> former) {
        if (former.size() >= wanted.most() || former.contains(subscription)) {
            return former;
        }
        Set<String> more = new HashSet<>(former);
        more.add(subscription);
        return Collections.unmodifiableSet(more);
    }

    /** Calls this for each that is shown no more, after it is not. */
    void whenHidden(Consumer<String> hider) {
        hiders.add(hider);
    }

    /**
     * Chooses anew.
     *
     * @param troubles all subscriptions, and how much trouble each is in
     */
    synchronized Set<String> choose(Map<String, Double> troubles) {
        if (wanted.isAll()) {
            return troubles.keySet();
        }
        Set<String> now = wanted.most() == 0 ? Set.of() : busiest(troubles);
        Set<String> hidden = new HashSet<>(shown.getAndSet(now));
        hidden.removeAll(now);
        hidden.forEach(each -> hiders.forEach(hider -> hider.accept(each)));
        return now;
    }

    private Set<String> busiest(Map<String, Double> troubles) {
        forgetSome();
        Set<String> former = Objects.requireNonNull(shown.get());
        Comparator<Map.Entry<String, Double>> busiestFirst = Map.Entry.comparingByValue(Comparator.reverseOrder());
        Set<String> chosen = troubles.entrySet().stream()
                .map(each -> Map.entry(each.getKey(), each.getValue() + activity.getOrDefault(each.getKey(), 0.0)))
                .sorted(busiestFirst
                        .thenComparing(each -> !former.contains(each.getKey()))
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(wanted.most())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        return Collections.unmodifiableSet(chosen);
    }

    private void forgetSome() {
        activity.replaceAll((name, value) -> value * KEPT);
        for (String name : List.copyOf(tried.keySet())) {
            Long count = tried.remove(name);
            if (count != null) {
                activity.merge(name, (double) count, Double::sum);
            }
        }
        activity.values().removeIf(value -> value < FORGOTTEN);
    }
}
