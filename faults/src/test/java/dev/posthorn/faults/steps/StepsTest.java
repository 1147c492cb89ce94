package dev.posthorn.faults.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.faults.harness.Servers;
import dev.posthorn.subscription.AfterDeadLetter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Longer form: {@code ./posthorn faults steps}. */
@Tag("slow")
class StepsTest {

    @Test
    void aRelayThatEndsBetweenAnyTwoOfItsStepsLosesAndReordersNothing() throws Exception {
        try (Sweep sweep = new Sweep(Servers.newest(), false, AfterDeadLetter.HOLD)) {
            assertKept(sweep.run(1, 25));
        }
    }

    @Test
    void neitherDoesOneWhoseSinkIsPipelined() throws Exception {
        try (Sweep sweep = new Sweep(Servers.newest(), true, AfterDeadLetter.HOLD)) {
            assertKept(sweep.run(2, 80));
        }
    }

    @Test
    void neitherDoesAProcessThatIsGoneFromOneInstructionToTheNext() throws Exception {
        try (Halts halts = new Halts(Servers.newest())) {
            Halts.Report report = halts.run();

            System.out.println("steps: " + report);
            assertThat(report.problems()).isEmpty();
        }
    }

    private static void assertKept(Sweep.Report report) {
        System.out.println("steps: " + report);
        assertThat(report.problems()).isEmpty();
        assertThat(report.missed()).as("kinds of change that no kill met").isEmpty();
    }
}
