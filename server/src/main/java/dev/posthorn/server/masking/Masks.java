package dev.posthorn.server.masking;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The masked places of one event type. */
public final class Masks {

    public static final int MOST = 100;

    /** Nothing is masked. */
    public static final Masks NONE = new Masks(List.of());

    /** Everything is masked. */
    public static final Masks ALL = new Masks(List.of(Mask.of("")));

    private final Spot root = new Spot();
    private final boolean empty;

    /** A place on the way to masked ones, or a masked one. */
    private static final class Spot {

        private boolean masked;
        private final Map<String, Spot> named = new HashMap<>();
        private @Nullable Spot every;

        Spot next(String step) {
            if (!step.equals(Mask.EVERY)) {
                return named.computeIfAbsent(step, each -> new Spot());
            }
            if (every == null) {
                every = new Spot();
            }
            return every;
        }
    }

    private Masks(List<Mask> masks) {
        masks.forEach(this::add);
        empty = masks.isEmpty();
    }

    /** Throws an {@link IllegalArgumentException} that tells the rule which one of them breaks. */
    public static Masks of(List<String> pointers) {
        return pointers.isEmpty()
                ? NONE
                : new Masks(pointers.stream().map(Mask::of).toList());
    }

    /** Throws an {@link IllegalArgumentException} that tells the rule which it breaks. */
    public static void check(String pointer) {
        Mask.of(pointer);
    }

    private void add(Mask mask) {
        Spot spot = root;
        for (String step : mask.steps()) {
            spot = spot.next(step);
        }
        spot.masked = true;
    }

    public boolean isEmpty() {
        return empty;
    }

    /** How many steps of a path lead to a masked value, in which the rest of the path is; -1 if none do. */
    public int coverOf(List<String> path) {
        Place place = place();
        for (int i = 0; i < path.size() && !place.isMasked(); i++) {
            place = place.at(path.get(i));
            if (place.isMasked()) {
                return i + 1;
            }
        }
        return place.isMasked() ? 0 : -1;
    }

    /** The whole document. */
    Place place() {
        return new Place(List.of(root));
    }

    /** Where a walk through a document stands, as seen by all masks at once: names and {@code *} may both match. */
    record Place(List<Spot> spots) {

        boolean isMasked() {
            return spots.stream().anyMatch(spot -> spot.masked);
        }

        /** Nothing in it is masked. */
        boolean isOpen() {
            return spots.isEmpty();
        }

        /** An element: a property by its name, or an item by its number. */
        Place at(String step) {
            List<Spot> next = new ArrayList<>();
            for (Spot spot : spots) {
                Spot named = spot.named.get(step);
                if (named != null) {
                    next.add(named);
                }
                if (spot.every != null) {
                    next.add(spot.every);
                }
            }
            return new Place(next);
        }
    }
}
