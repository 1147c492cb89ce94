package dev.posthorn.faults.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.faults.harness.Servers;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The longer form: {@code ./posthorn faults rebalance --records 1000000 --for 10m}. */
@Tag("slow")
class RebalanceStormTest {

    private static final long SEED = Long.getLong("posthorn.faults.seed", System.nanoTime());

    @Test
    void eachEventHasOneEffectAndThoseOfAKeyAreInOrderWhileMembersJoinLeaveAndAreKilled() throws Exception {
        RebalanceStorm.Settings settings = new RebalanceStorm.Settings(50_000, 3, Duration.ofSeconds(15), SEED);
        try (RebalanceStorm storm = new RebalanceStorm(Servers.newest(), Servers.kafka(), settings)) {
            RebalanceStorm.Report report = storm.run();

            System.out.println("rebalance: " + report);
            assertThat(report.verdict().isClean())
                    .as(report.verdict().toString())
                    .isTrue();
            assertThat(report.stoppedCleanly()).isTrue();
            assertThat(report.tally().of("killed")).isPositive();
            assertThat(report.tally().of("left")).isPositive();
            assertThat(report.tally().of("keys moved")).isPositive();
            assertThat(report.tally().of(RebalanceStorm.DUPLICATES)).isPositive();
        }
    }
}
