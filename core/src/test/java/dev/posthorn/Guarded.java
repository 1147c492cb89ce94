package dev.posthorn;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;

/** Runs a scenario with a guard, where it has to pass, and without, where it has to fail. */
public final class Guarded {

    private Guarded() {}

    /** A scenario whose assertions hold only under the guard. */
    public interface Scenario {
        void run(Guards guards) throws Exception;
    }

    public static void by(Guard guard, Scenario scenario) throws Exception {
        scenario.run(Guards.ALL);
        assertThatThrownBy(() -> scenario.run(Guards.without(guard)))
                .as("the scenario without its guard " + guard)
                .isInstanceOf(AssertionError.class);
    }
}
