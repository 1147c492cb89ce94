package dev.posthorn.faults.killpoint;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Counts the places at which a relay can end, from the moment it is armed, and tells somebody who may end it there. */
public final class KillPoints {

    private final Consumer<Point> told;
    private final List<Point> passed = new ArrayList<>();
    private final Map<Integer, Set<Kind>> kinds = new HashMap<>();
    private boolean armed;
    private int units;

    public KillPoints(Consumer<Point> told) {
        this.told = told;
    }

    public synchronized void arm() {
        armed = true;
    }

    /** Begins a transaction, a statement by itself or a send. */
    synchronized int unit() {
        return ++units;
    }

    /** @param more what the unit does beyond what is known of it */
    void at(int unit, Point.Place place, Set<Kind> more) {
        Point point;
        synchronized (this) {
            Set<Kind> all = kinds.computeIfAbsent(unit, u -> EnumSet.noneOf(Kind.class));
            all.addAll(more);
            if (!armed) {
                return;
            }
            point = new Point(passed.size() + 1, unit, place, all);
            passed.add(point);
        }
        told.accept(point);
    }

    public synchronized int count() {
        return passed.size();
    }

    public synchronized Point point(int number) {
        return passed.get(number - 1);
    }

    /** What the whole unit of a point did. */
    public synchronized Set<Kind> kindsAround(Point point) {
        return Set.copyOf(kinds.getOrDefault(point.unit(), Set.of()));
    }
}
