package dev.posthorn.testkit;

import java.util.List;

/**
 * Bounds in time, on a machine that other tests use too. One that is missed is tried again from the beginning, since a
 * product that is slow is slow every time. Whatever else a try asserts has to hold in each of them.
 */
public final class InTime {

    private static final int TRIES = 3;

    private InTime() {}

    /** One try: asserts what is not about time. */
    @FunctionalInterface
    public interface Try {

        /** The bounds that were missed, in words. */
        List<String> late() throws Exception;
    }

    /** Fails if every try misses a bound, with what each of them missed. */
    public static void once(Try one) throws Exception {
        StringBuilder missed = new StringBuilder();
        for (int i = 1; i <= TRIES; i++) {
            List<String> late = one.late();
            if (late.isEmpty()) {
                return;
            }
            missed.append("\n  try ").append(i).append(": ").append(String.join("; ", late));
            System.out.println("late in try " + i + " of " + TRIES + ": " + late);
        }
        throw new AssertionError("not in time in any of " + TRIES + " tries:" + missed);
    }
}
