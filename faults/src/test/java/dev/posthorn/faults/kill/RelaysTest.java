package dev.posthorn.faults.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.faults.delivery.RelayProcess;
import dev.posthorn.faults.delivery.Treatment;
import dev.posthorn.faults.harness.Servers;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Longer forms: {@code ./posthorn faults kill --for 10m} and {@code ./posthorn faults freeze --for 10m}. */
@Tag("slow")
class RelaysTest {

    private static final int KILLS = 20;
    private static final long SEED = Long.getLong("posthorn.faults.seed", System.nanoTime());

    @Test
    void nothingIsLostOrReorderedWhenRelaysAreKilledWithEventsInFlight() throws Exception {
        try (Relays relays = new Relays(Servers.newest(), SEED)) {
            Relays.Report report = relays.kill(KILLS, Duration.ZERO);

            System.out.println("kill: " + report);
            assertThat(report.struck()).isGreaterThanOrEqualTo(KILLS);
            assertKept(report);
            assertKeptOverHttp(report);
        }
    }

    /** With every treatment by the receiver, and many keys at once, or it would prove little. */
    private static void assertKeptOverHttp(Relays.Report report) {
        assertThat(Treatment.values())
                .allMatch(treatment -> report.tally().of(RelayProcess.HTTP + " " + treatment) > 0);
        assertThat(report.tally().of(RelayProcess.HTTP + " in flight at kills")).isPositive();
        assertThat(report.result(RelayProcess.HTTP).keysAtOnce()).isGreaterThanOrEqualTo(5);
        assertThat(report.result(RelayProcess.HTTP).provoked()).isPositive();
    }

    @Test
    void aThawedRelaySettlesNothingOfTheLanesItHasLost() throws Exception {
        try (Relays relays = new Relays(Servers.newest(), SEED)) {
            Relays.Report report = relays.freeze(1, Duration.ZERO);

            System.out.println("freeze: " + report);
            assertThat(report.tally().of("lanes lost by the frozen")).isPositive();
            assertKept(report);
        }
    }

    private static void assertKept(Relays.Report report) {
        assertThat(report.results()).allMatch(each -> each.isClean(report.struck(), report.inFlightLimit()));
        assertThat(report.backwards()).as("marks that went backwards").isEmpty();
        assertThat(report.stoppedCleanly()).isTrue();
    }
}
