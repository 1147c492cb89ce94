package dev.posthorn.faults.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The longer form: {@code ./posthorn faults crash}. */
@Tag("slow")
class CrashesTest {

    private static final int STRIKES = Integer.getInteger("posthorn.faults.strikes", 6);
    private static final List<CrashKind> KINDS = Optional.ofNullable(System.getProperty("posthorn.faults.strike"))
            .map(kind -> List.of(CrashKind.valueOf(kind)))
            .orElse(List.of(CrashKind.values()));
    private static final long SEED = Long.getLong("posthorn.faults.seed", System.nanoTime());

    @Test
    void nothingThatIsInTheLogIsLostReorderedOrFalselyCalledDeliveredWhenPostgresDies() throws Exception {
        try (Crashes crashes = new Crashes(new Crashes.Settings(KINDS, STRIKES, SEED))) {
            CrashReport report = crashes.run(progress -> {});

            System.out.println("crash: " + report);
            assertThat(report.tally().of(CrashReport.IDS)).isPositive();
            assertThat(report.isClean()).as(report.toString()).isTrue();
        }
    }
}
