package dev.posthorn.faults.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.Guard;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The longer form: {@code ./posthorn faults crash}. */
@Tag("slow")
class CrashesTest {

    private static final int STRIKES = 6;
    private static final int RUNS = 5;
    private static final long SEED = Long.getLong("posthorn.faults.seed", System.nanoTime());

    /** The rule that this is about. */
    private static final List<Guard> RULE = List.of(Guard.READS_END_WITH_SESSION);

    @Test
    void nothingThatIsInTheLogIsLostReorderedOrFalselyCalledDeliveredWhenPostgresDies() throws Exception {
        try (Crashes crashes = new Crashes(Crashes.Settings.allKinds(STRIKES, SEED))) {
            CrashReport report = crashes.run(progress -> {});

            System.out.println("crash: " + report);
            assertThat(report.tally().of(CrashReport.IDS)).isPositive();
            assertThat(report.isClean()).as(report.toString()).isTrue();
        }
    }

    /** On a busy machine others may be given the ids again, or the leases may end: then once more. */
    @Test
    void withoutItsRuleTheRelayLosesOrReordersEventsAndTheRunSeesIt() throws Exception {
        CrashReport report = strikeWithoutTheRule();
        for (int i = 1; i < RUNS && report.allCameInOrder(); i++) {
            report = strikeWithoutTheRule();
        }
        assertThat(report.allCameInOrder()).as(report.toString()).isFalse();
        assertThat(report.isClean()).isFalse();
    }

    private static CrashReport strikeWithoutTheRule() throws Exception {
        try (Crashes crashes = new Crashes(new Crashes.Settings(List.of(Strike.IDLE_CRASH), 2, SEED, RULE))) {
            CrashReport report = crashes.run(progress -> {});
            System.out.println("crash without the rule: " + report);
            return report;
        }
    }
}
