package dev.posthorn.relay.front;

import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Who wants an event, found by what the event says, so that a look costs what is found and not how many there are. For one
 * thread.
 *
 * <p>Equal filters are one {@link Interest}. It has its ways through one of the filter's conditions, and the others are checked
 * when it is found. At first that is the condition whose busiest place is the least busy so far: among ten thousand who all
 * want orders, each those of one tenant, it is found by its tenant. But how many events come by a place is not known before
 * they come. So an interest that was found in vain too often goes on to its next condition, and stays longest where this
 * happens least: with n conditions it is found in vain at most n times as often as by the best of them alone.
 */
final class FilterIndex<T> {

    /** So many that what a move costs is little beside them. */
    private static final int PATIENCE = 1_000;

    /** So that a look does not take long if many have come to the end of their patience together. */
    private static final int MOST_MOVES = 100;

    private final int patience;
    private final Map<Filter, Interest<T>> interests = new HashMap<>();
    private final Patterns<T> types = new Patterns<>();
    private final Patterns<T> aggregateTypes = new Patterns<>();
    private final Patterns<T> sources = new Patterns<>();
    private final Map<String, Crowd<Way<T>>> headers = new HashMap<>();
    private int size;
    private long looks;

    FilterIndex() {
        this(PATIENCE);
    }

    /** @param patience how often an interest is found in vain before it goes on to its next condition */
    FilterIndex(int patience) {
        this.patience = patience;
    }

    /** Once, however often it is added. */
    void add(Filter filter, T who) {
        Interest<T> interest = interests.get(filter);
        if (interest == null) {
            interest = new Interest<>(filter);
            interests.put(filter, interest);
            List<List<Way<T>>> choices = choices(interest);
            int quiet = mostQuiet(choices);
            interest.open(quiet, choices.get(quiet));
        }
        size += interest.who().add(who) ? 1 : 0;
    }

    /** Without effect if it is not there. */
    void remove(Filter filter, T who) {
        Interest<T> interest = interests.get(filter);
        if (interest == null || !interest.who().remove(who)) {
            return;
        }
        size--;
        if (interest.who().isEmpty()) {
            interest.close();
            interests.remove(filter);
        }
    }

    /**
     * Each who once, by however many filters; in an order that follows from what was added, removed and looked for before. All
     * are found before the first is told, so that who is told may add and remove.
     */
    void forEach(Event event, Consumer<? super T> each) {
        List<Interest<T>> wanting = new ArrayList<>();
        List<Interest<T>> inVain = new ArrayList<>();
        reach(event, way -> (way.leadsTo(event) ? wanting : inVain).add(way.interest()));
        moveOn(inVain);
        // One interest holds nobody twice.
        Collection<T> found = wanting.size() > 1 ? new LinkedHashSet<>() : new ArrayList<>();
        wanting.forEach(interest -> interest.who().forEach(found::add));
        found.forEach(each);
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Pairs of a filter and of one who has it. */
    int size() {
        return size;
    }

    /** How many filters the event is held against: what a look costs. */
    int candidates(Event event) {
        List<Way<T>> reached = new ArrayList<>();
        reach(event, reached::add);
        return reached.size();
    }

    /** How many places are kept at all. */
    int places() {
        return interests.size() + types.places() + aggregateTypes.places() + sources.places() + headers.size();
    }

    /** One way to each interest to which there is any. */
    private void reach(Event event, Consumer<Way<T>> each) {
        long look = ++looks;
        Consumer<Way<T>> firstOnly = way -> {
            if (way.interest().isNewIn(look)) {
                each.accept(way);
            }
        };
        types.forEach(event.type(), firstOnly);
        aggregateTypes.forEach(event.aggregateType(), firstOnly);
        sources.forEach(event.source(), firstOnly);
        if (!headers.isEmpty()) {
            reachByHeaders(event, firstOnly);
        }
    }

    /** In the order of their names: an immutable map has another in each JVM. */
    private void reachByHeaders(Event event, Consumer<Way<T>> each) {
        new TreeMap<>(event.headers()).forEach((name, value) -> {
            Crowd<Way<T>> crowd = headers.get(headerKey(name, value));
            if (crowd != null) {
                crowd.forEach(each);
            }
        });
    }

    private void moveOn(List<Interest<T>> inVain) {
        int moves = 0;
        for (Interest<T> interest : inVain) {
            if (interest.foundInVain() >= patience && moves < MOST_MOVES) {
                moves++;
                List<List<Way<T>>> choices = choices(interest);
                int next = (interest.choice() + 1) % choices.size();
                interest.close();
                interest.open(next, choices.get(next));
            }
        }
    }

    private int mostQuiet(List<List<Way<T>>> choices) {
        return IntStream.range(0, choices.size())
                .boxed()
                .min(Comparator.comparingInt(choice -> busiest(choices.get(choice))))
                .orElseThrow();
    }

    /** For each condition the ways through it, any of which is enough. Who wants everything is found as by the type '*'. */
    private List<List<Way<T>>> choices(Interest<T> interest) {
        Filter filter = interest.filter();
        boolean byType = narrows(filter.types());
        boolean byAggregateType = !filter.aggregateTypes().isEmpty(); // even '*': an event may have none
        boolean bySource = narrows(filter.sources());
        int conditions = (byType ? 1 : 0)
                + (byAggregateType ? 1 : 0)
                + (bySource ? 1 : 0)
                + filter.headers().size();
        List<List<Way<T>>> choices = new ArrayList<>();
        if (byType) {
            choices.add(types.ways(filter.types(), interest, conditions == 1));
        }
        if (byAggregateType) {
            choices.add(aggregateTypes.ways(filter.aggregateTypes(), interest, conditions == 1));
        }
        if (bySource) {
            choices.add(sources.ways(filter.sources(), interest, conditions == 1));
        }
        if (conditions == 0) {
            choices.add(types.ways(List.of("*"), interest, true));
        }
        filter.headers()
                .forEach((name, value) ->
                        choices.add(List.of(new Way<>(headers, headerKey(name, value), interest, false))));
        return choices;
    }

    private static boolean narrows(List<String> patterns) {
        return !patterns.isEmpty() && patterns.stream().noneMatch(Patterns::isAll);
    }

    /** Two headers may share one, which does no harm: those found by a header are always checked. */
    private static String headerKey(String name, String value) {
        return name + '=' + value;
    }

    private static int busiest(List<? extends Way<?>> ways) {
        return ways.stream().mapToInt(Way::traffic).max().orElse(0);
    }
}
