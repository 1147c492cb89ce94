package dev.posthorn.log;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Which guards hold. Outside of Posthorn's own tests: all of them. */
public final class Guards {

    public static final Guards ALL = new Guards(EnumSet.noneOf(Guard.class));

    private final Set<Guard> lifted;

    private Guards(Set<Guard> lifted) {
        this.lifted = lifted;
    }

    /** For tests that show what a guard is good for. */
    public static Guards without(Guard... lifted) {
        EnumSet<Guard> set = EnumSet.noneOf(Guard.class);
        set.addAll(List.of(lifted));
        return new Guards(set);
    }

    public boolean hold(Guard guard) {
        return !lifted.contains(guard);
    }
}
