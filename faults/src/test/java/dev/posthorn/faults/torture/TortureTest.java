package dev.posthorn.faults.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Ledger.Verdict;
import dev.posthorn.faults.harness.Servers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Run longer with -Dposthorn.torture.seconds, and again as before with -Dposthorn.torture.seed. */
@Tag("slow")
class TortureTest {

    private static final long SECONDS = Long.getLong("posthorn.torture.seconds", 30);
    private static final long SEED = Long.getLong("posthorn.torture.seed", System.nanoTime());
    private static final Duration AT_MOST = Duration.ofMinutes(2);

    @Test
    void nothingIsMissedDoubledOrReorderedOnTheNewestPostgres() throws Exception {
        assertSurvives(Servers.newest());
    }

    @Test
    void nothingIsMissedDoubledOrReorderedOnTheOldestPostgres() throws Exception {
        assertSurvives(Servers.oldest());
    }

    private static void assertSurvives(EmbeddedPostgres server) throws Exception {
        Torture.Report report =
                new Torture(server, SEED).attachAllForms().runFor(Duration.ofMillis(SECONDS * 500 - 1_500));
        System.out.println("torture: " + report);
        assertThat(report.verdicts()).allMatch(Verdict::isClean);
        assertThat(report.missing()).as("what did not happen").isEmpty();
    }

    @Test
    void everyWrongReaderLosesOrReorders() throws Exception {
        Torture torture = new Torture(Servers.newest(), SEED);
        Database log = torture.database();
        torture.attach(WrongReaders.bySeq(log))
                .attach(WrongReaders.bySeqBelowHorizon(log))
                .attach(WrongReaders.byTransactionAndSeq(log))
                .attach(WrongReaders.byWindowsOfHorizon(log));

        Torture.Report report = torture.runUntilAllFail(AT_MOST);

        System.out.println("wrong readers: " + report);
        List<Verdict> verdicts = report.verdicts();
        assertThat(verdicts.get(0).lost()).isPositive();
        assertThat(verdicts.get(1).lost()).isPositive();
        assertThat(verdicts.subList(2, 4)).allMatch(verdict -> verdict.reordered() > 0);
    }
}
