package dev.posthorn.faults.hub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.testkit.InTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The longer forms: {@code ./posthorn faults hub --for 10m} and {@code ./posthorn faults crowd}. */
@Tag("slow")
class HubKillsTest {

    private static final int KILLS_OF_EACH = 6;
    private static final int SUBSCRIPTIONS = 300;
    private static final long SEED = Long.getLong("posthorn.faults.seed", System.nanoTime());

    @Test
    void whatAKilledHubAcknowledgedIsRecordedOnceAndDeliveredInOrder() throws Exception {
        InTime.once(HubKillsTest::killHubAndPostgres);
    }

    private static List<String> killHubAndPostgres() throws Exception {
        try (HubKills kills = new HubKills(SEED)) {
            HubKills.Report report = kills.run(KILLS_OF_EACH, Duration.ZERO);

            System.out.println("hub: " + report);
            assertThat(report.hubKills()).isGreaterThanOrEqualTo(KILLS_OF_EACH);
            assertThat(report.postgresKills()).isGreaterThanOrEqualTo(KILLS_OF_EACH);
            assertThat(report.tally().of("REST 503s")).isPositive();
            assertThat(report.tally().of("gRPC streams unavailable")).isPositive();
            assertThat(report.log().isClean()).as(report.log().toString()).isTrue();
            assertThat(report.verdict().isClean())
                    .as(report.verdict().toString())
                    .isTrue();
            assertThat(report.stoppedCleanly()).isTrue();
            return report.late();
        }
    }

    @Test
    void twoHubsShareTheWorkAndOneTakesOverFromTheOther() throws Exception {
        InTime.once(HubKillsTest::killOneOfTwo);
    }

    private static List<String> killOneOfTwo() throws Exception {
        try (TwoHubs hubs = new TwoHubs(SEED)) {
            TwoHubs.Report report = hubs.run();

            System.out.println("two hubs: " + report);
            assertThat(report.log().isClean()).as(report.log().toString()).isTrue();
            assertThat(report.verdict().isClean())
                    .as(report.verdict().toString())
                    .isTrue();
            assertThat(report.stoppedCleanly()).isTrue();
            return report.late();
        }
    }

    @Test
    void oneOfTwoServesTheLanesOfAllSubscriptionsOfTheOther() throws Exception {
        InTime.once(HubKillsTest::killOneOfACrowd);
    }

    private static List<String> killOneOfACrowd() throws Exception {
        try (CrowdedHubs hubs = new CrowdedHubs(SUBSCRIPTIONS, Integer.parseInt(CrowdedHubs.USUAL_THINKING), SEED)) {
            CrowdedHubs.Report report = hubs.run();

            System.out.println("crowd: " + report);
            assertThat(report.log().isClean()).as(report.log().toString()).isTrue();
            assertThat(report.verdict().isClean())
                    .as(report.verdict().toString())
                    .isTrue();
            assertThat(report.stoppedCleanly()).isTrue();
            return report.late();
        }
    }
}
