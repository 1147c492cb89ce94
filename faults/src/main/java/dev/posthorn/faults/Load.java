package dev.posthorn.faults;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/** Writers at work, until stopped. */
final class Load {

    private final Database database;
    private final SplittableRandom random;
    private final Tally tally;
    private final PreparedTransactions prepared;
    private final Crew crew = new Crew();
    private volatile boolean stopping;

    private Load(Database database, long seed, Tally tally) {
        this.database = database;
        this.random = new SplittableRandom(seed);
        this.tally = tally;
        this.prepared = new PreparedTransactions("p" + Long.toHexString(seed), tally);
    }

    /** Everything that makes reading difficult. */
    static Load torture(Database database, int writers, long seed, Tally tally) {
        Load load = new Load(database, seed, tally);
        load.start(writers, Move::any, true, 25);
        load.crew.start("prepared", load::endPrepared);
        load.crew.start("open-for-seconds", load::stayOpen);
        return load;
    }

    /** What an application does all day. */
    static Load ordinary(Database database, int writers, long seed, Tally tally) {
        Load load = new Load(database, seed, tally);
        load.start(writers, Move::ordinary, false, 12);
        return load;
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
        int own = database.aggregates() - 1;
        SplittableRandom pauses = new SplittableRandom(1);
        try (Writer writer = new Writer(database, pauses, own, false, prepared, tally)) {
            for (int i = 1; !stopping; i++) {
                writer.stayOpen(own, 1_000 + pauses.nextInt(1_500), i == 2 ? 1_100 : 1);
                TimeUnit.MILLISECONDS.sleep(pauses.nextInt(500));
            }
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
    void stop() {
        stopping = true;
        crew.join();
    }

    /** Throws if a writer has failed. */
    void check() {
        crew.check();
    }
}
