package dev.posthorn.faults.hub;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The longer form: {@code ./posthorn faults hub --for 10m}. */
@Tag("slow")
class HubKillsTest {

    private static final int KILLS_OF_EACH = 6;
    private static final long SEED = Long.getLong("posthorn.faults.seed", System.nanoTime());

    @Test
    void whatAKilledHubAcknowledgedIsRecordedOnceAndDeliveredInOrder() throws Exception {
        try (HubKills kills = new HubKills(SEED)) {
            HubKills.Report report = kills.run(KILLS_OF_EACH, Duration.ZERO);

            System.out.println("hub: " + report);
            assertThat(report.hubKills()).isGreaterThanOrEqualTo(KILLS_OF_EACH);
            assertThat(report.postgresKills()).isGreaterThanOrEqualTo(KILLS_OF_EACH);
            assertThat(report.isInTime())
                    .as("%s, ready at first after %s", report, report.firstStart())
                    .isTrue();
            assertThat(report.tally().of("REST 503s")).isPositive();
            assertThat(report.tally().of("gRPC streams unavailable")).isPositive();
            assertThat(report.log().isClean()).as(report.log().toString()).isTrue();
            assertThat(report.verdict().isClean())
                    .as(report.verdict().toString())
                    .isTrue();
            assertThat(report.stoppedCleanly()).isTrue();
        }
    }

    @Test
    void twoHubsShareTheWorkAndOneTakesOverFromTheOther() throws Exception {
        try (TwoHubs hubs = new TwoHubs(SEED)) {
            TwoHubs.Report report = hubs.run();

            System.out.println("two hubs: " + report);
            assertThat(report.isInTime()).as(report.toString()).isTrue();
            assertThat(report.changed()).isLessThanOrEqualTo(Duration.ofSeconds(1));
            assertThat(report.takenOver()).isLessThanOrEqualTo(TwoHubs.LEASE.plusSeconds(1));
            assertThat(report.log().isClean()).as(report.log().toString()).isTrue();
            assertThat(report.verdict().isClean())
                    .as(report.verdict().toString())
                    .isTrue();
            assertThat(report.stoppedCleanly()).isTrue();
        }
    }
}
