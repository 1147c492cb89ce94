package dev.posthorn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The promises, under every fault that the simulation knows. The length is {@code -Dposthorn.simulation.seeds=N}. */
@Tag("slow")
class SimulationTest {

    private static final long SEEDS = Long.getLong("posthorn.simulation.seeds", 10_000);
    private static final int THREADS = Math.min(2, Runtime.getRuntime().availableProcessors());

    @Test
    void everySeedKeepsEveryPromise() {
        assertThat(new Simulation().run(1, SEEDS, THREADS)).isNull();
    }

    @Test
    void aSeedIsTheSameWheneverItIsRun() {
        for (long seed = 1; seed <= 20; seed++) {
            List<String> once = new ArrayList<>();
            List<String> again = new ArrayList<>();
            new Simulation().replay(seed, once);
            new Simulation().replay(seed, again);
            assertThat(again).isNotEmpty().isEqualTo(once);
        }
    }
}
