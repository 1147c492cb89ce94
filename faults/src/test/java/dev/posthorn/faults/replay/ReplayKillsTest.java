package dev.posthorn.faults.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.faults.harness.Servers;
import dev.posthorn.testkit.InTime;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The longer form: {@code ./posthorn faults replay --for 10m}. */
@Tag("slow")
class ReplayKillsTest {

    private static final long SEED = Long.getLong("posthorn.faults.seed", System.nanoTime());

    @Test
    void everyDeadLetterIsAccountedForAndHasOneEffectWhenRelaysAreKilledInTheMiddleOfAReplay() throws Exception {
        ReplayKills.Settings settings = new ReplayKills.Settings(20_000, 10, 350, 100, SEED);
        InTime.once(() -> {
            try (ReplayKills kills = new ReplayKills(Servers.newest(), settings)) {
                ReplayReport report = kills.run();

                System.out.println("replay: " + report);
                assertThat(report.broken()).isEmpty();
                return report.late();
            }
        });
    }
}
