package dev.posthorn.faults.load;

import dev.posthorn.error.PosthornException;
import dev.posthorn.faults.harness.Crew;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Tally;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/** Writers at work, until stopped. */
public final class Load {

    private final Database database;
    private final SplittableRandom random;
    private final Tally tally;
    private final PreparedTransactions prepared;
    private final Crew crew = new Crew();
    private volatile boolean stopping;
    private volatile boolean resting;

    private Load(Database database, long seed, Tally tally) {
        this.database = database;
        this.random = new SplittableRandom(seed);
        this.tally = tally;
        this.prepared = new PreparedTransactions("p" + Long.toHexString(seed), tally);
    }

    /** Everything that makes reading difficult. */
    public static Load torture(Database database, int writers, long seed, Tally tally) {
        Load load = new Load(database, seed, tally);
        load.start(writers, Move::any, true, 25);
        load.crew.start("prepared", load::endPrepared);
        load.crew.start("open-for-seconds", load::stayOpen);
        return load;
    }

    /** What an application does all day. */
    public static Load ordinary(Database database, int writers, long seed, Tally tally) {
        Load load = new Load(database, seed, tally);
        load.start(writers, Move::ordinary, false, 12);
        return load;
    }

    /**
     * What an application does all day on a server that dies now and then: its writers come back as soon as they can. Some
     * do not wait for the disk, one leaves its transactions idle for seconds.
     */
    public static Load enduring(Database database, int writers, long seed, Tally tally, Told told) {
        Load load = new Load(database, seed, tally);
        for (int i = 0; i < writers; i++) {
            SplittableRandom own = load.random.split();
            boolean waits = i % 3 != 2;
            load.crew.start(
                    "writer-" + i,
                    () -> load.endure(writer -> {
                        told(writer, waits, told);
                        while (!load.stopping) {
                            load.rest(own);
                            writer.make(Move.enduring(own));
                        }
                    }));
        }
        load.crew.start(
                "open-for-seconds",
                () -> load.endure(writer -> {
                    writer.telling(ids -> told.acknowledged(ids, true));
                    load.stayOpen(writer, new SplittableRandom(seed), 1);
                }));
        return load;
    }

    /** Who hears of commits. */
    public interface Told {

        /**
         * These were committed, and the writer was told so.
         *
         * @param waited whether the commit waited for the disk
         */
        void acknowledged(List<UUID> events, boolean waited);
    }

    private static void told(Writer writer, boolean waits, Told told) throws SQLException {
        writer.telling(ids -> told.acknowledged(ids, waits));
        if (!waits) {
            writer.withoutWaiting();
        }
    }

    private interface Writing {
        void with(Writer writer) throws SQLException, InterruptedException;
    }

    private void endure(Writing writing) throws SQLException, InterruptedException {
        while (!stopping) {
            try (Writer writer =
                    new Writer(database, random.split(), database.aggregates() - 1, true, prepared, tally)) {
                writing.with(writer);
            } catch (SQLException e) {
                comeBack(e);
            } catch (PosthornException e) {
                comeBack(e.getCause() instanceof SQLException cause ? cause : new SQLException(e));
            }
        }
    }

    private void comeBack(SQLException e) throws SQLException, InterruptedException {
        String state = String.valueOf(e.getSQLState());
        // Read-only is a transaction that began on a stand-by in the middle of its promotion.
        if (!state.startsWith("08") && !state.startsWith("57P") && !state.equals("25006")) {
            throw e;
        }
        tally.count("times a writer was cut off or found no server");
        TimeUnit.MILLISECONDS.sleep(5);
    }

    private void rest(RandomGenerator own) throws InterruptedException {
        do {
            TimeUnit.MILLISECONDS.sleep(own.nextInt(60));
        } while (resting && !stopping);
    }

    /** Lets writers pause after what they are about, or go on. */
    public void rest(boolean resting) {
        this.resting = resting;
    }

    private void start(int writers, Function<RandomGenerator, Move> moves, boolean someHot, int thinkMillis) {
        for (int i = 0; i < writers; i++) {
            SplittableRandom own = random.split();
            crew.start("writer-" + i, () -> write(own, moves, someHot, thinkMillis));
        }
    }

    private void write(RandomGenerator own, Function<RandomGenerator, Move> moves, boolean someHot, int thinkMillis)
            throws SQLException, InterruptedException {
        try (Writer writer = new Writer(database, own, database.aggregates() - 1, someHot, prepared, tally)) {
            while (!stopping) {
                writer.make(moves.apply(own));
                TimeUnit.MILLISECONDS.sleep(own.nextInt(2 * thinkMillis));
            }
        }
    }

    private void stayOpen() throws SQLException, InterruptedException {
        SplittableRandom pauses = new SplittableRandom(1);
        try (Writer writer = new Writer(database, pauses, database.aggregates() - 1, false, prepared, tally)) {
            stayOpen(writer, pauses, 1_100);
        }
    }

    private void stayOpen(Writer writer, RandomGenerator pauses, int second) throws SQLException, InterruptedException {
        int own = database.aggregates() - 1;
        for (int i = 1; !stopping; i++) {
            writer.stayOpen(own, 1_000 + pauses.nextInt(1_500), i == 2 ? second : 1);
            TimeUnit.MILLISECONDS.sleep(pauses.nextInt(500));
        }
    }

    private void endPrepared() throws SQLException, InterruptedException {
        SplittableRandom own = new SplittableRandom(2);
        try (Connection connection = database.dataSource().getConnection()) {
            while (prepared.endOne(connection, own) || !stopping || crew.runs("writer-")) {
                crew.check();
            }
        }
    }

    /** Ends every transaction; nothing is in doubt after it. */
    public void stop() {
        stopping = true;
        crew.join();
    }

    /** Throws if a writer has failed. */
    public void check() {
        crew.check();
    }
}
