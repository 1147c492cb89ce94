package dev.posthorn.faults.torture;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Crew;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Ledger;
import dev.posthorn.faults.harness.Tally;
import dev.posthorn.faults.load.Load;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Readers beside writers that do everything that makes reading a log difficult. */
public final class Torture {

    private static final int WRITERS = 14;
    private static final int AGGREGATES = 300;
    private static final int LOOKS_AT_THE_END = 5;
    private static final Duration LONGEST_WAIT_FOR_CASES = Duration.ofMinutes(1);

    private static final List<String> HARD_CASES = List.of(
            "rows below an earlier window's",
            "windows above a batch",
            "windows above 1000",
            "kills between read and settle",
            "prepared committed",
            "prepared rolled back",
            "rollback",
            "savepoint",
            "early_xid",
            "stayed open");

    private final Database database;
    private final long seed;
    private final Tally tally = new Tally();
    private final List<Watched> watched = new ArrayList<>();
    private volatile boolean draining;

    /** A reader with what it has got so far. */
    private record Watched(Reader reader, Ledger ledger) {}

    public Torture(EmbeddedPostgres server, long seed) throws SQLException {
        this.database = Database.create(server, AGGREGATES);
        this.seed = seed;
    }

    public Database database() {
        return database;
    }

    public Torture attach(Reader reader) {
        watched.add(new Watched(reader, new Ledger(reader.name())));
        return this;
    }

    /** Posthorn's reader in every form: batch limits, lanes, with and without kills. */
    public Torture attachAllForms() throws SQLException {
        int lane = 0;
        for (int limit : List.of(1, 3, 1000)) {
            attach(WindowReader.steady(database, limit, tally));
            attach(WindowReader.killed(database, limit, seed + limit, tally));
            attach(WindowReader.killedLane(database, 3, lane++, limit, seed - limit, tally));
        }
        return this;
    }

    /** Writes for that long, or until a reader has done something wrong, then lets each come to the end of the log. */
    public Report runFor(Duration duration) throws SQLException, InterruptedException {
        return run(duration, false);
    }

    /** The same, but ends as soon as every reader has done something wrong. */
    public Report runUntilAllFail(Duration atMost) throws SQLException, InterruptedException {
        return run(atMost, true);
    }

    private Report run(Duration duration, boolean untilAllFail) throws SQLException, InterruptedException {
        long started = System.nanoTime();
        Crew readers = new Crew();
        watched.forEach(each -> readers.start(each.reader.name(), () -> readAll(each)));
        Load load = Load.torture(database, WRITERS, seed, tally);
        while (untilAllFail ? !allFailed() && !isOver(started, duration) : goesOn(started, duration)) {
            TimeUnit.MILLISECONDS.sleep(20);
            load.check();
            readers.check();
        }
        load.stop();
        awaitQuiet();
        draining = true;
        readers.join();
        return report(Duration.ofNanos(System.nanoTime() - started));
    }

    /**
     * Until something is wrong, which more of the same does not mend. Longer than it is to if the machine is too slow for
     * the hard cases to have occurred by then.
     */
    private boolean goesOn(long started, Duration duration) {
        boolean isWrong = watched.stream().anyMatch(each -> each.ledger.hasFailed());
        Duration longest = missing(tally).isEmpty() ? duration : duration.plus(LONGEST_WAIT_FOR_CASES);
        return !isWrong && !isOver(started, longest);
    }

    private static boolean isOver(long started, Duration duration) {
        return System.nanoTime() - started >= duration.toNanos();
    }

    /** An autovacuum of the server may hold back the horizon a moment longer than the writers. */
    private void awaitQuiet() throws SQLException, InterruptedException {
        String running = "SELECT pg_snapshot_xip(pg_current_snapshot())";
        while (!database.column(running).isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private boolean allFailed() {
        return watched.stream().allMatch(each -> each.ledger.hasFailed());
    }

    private void readAll(Watched each) throws SQLException, InterruptedException {
        try (Reader reader = each.reader) {
            for (int looks = 0; looks < LOOKS_AT_THE_END; ) {
                boolean last = draining;
                Reader.Found found = reader.read();
                found.changes().forEach(change -> each.ledger.note(change, reader::mayRepeat));
                if (!found.more()) {
                    looks += last ? 1 : 0;
                    TimeUnit.MILLISECONDS.sleep(2);
                }
            }
        }
    }

    private static List<String> missing(Tally tally) {
        return HARD_CASES.stream().filter(what -> tally.of(what) == 0).toList();
    }

    private Report report(Duration took) throws SQLException {
        List<Change> committed = database.committed();
        List<Ledger.Verdict> verdicts = watched.stream()
                .map(each -> each.ledger.verdict(committed, each.reader::wants))
                .toList();
        return new Report(seed, took, committed.size(), verdicts, tally);
    }

    /** What came of a run. */
    public record Report(long seed, Duration took, int committed, List<Ledger.Verdict> verdicts, Tally tally) {

        public Report {
            verdicts = List.copyOf(verdicts);
        }

        /** What must have happened for the run to mean anything, and did not. */
        public List<String> missing() {
            return Torture.missing(tally);
        }

        public boolean isClean() {
            return verdicts.stream().allMatch(Ledger.Verdict::isClean);
        }

        public String summary() {
            return "seed " + seed + ", " + took.toSeconds() + " s, " + committed + " events committed; " + tally;
        }

        @Override
        public String toString() {
            return summary() + verdicts.stream().map(v -> "\n  " + v).collect(Collectors.joining());
        }
    }
}
