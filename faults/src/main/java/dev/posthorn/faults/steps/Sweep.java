package dev.posthorn.faults.steps;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.posthorn.Outbox;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.event.Event;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.killpoint.KillPoints;
import dev.posthorn.faults.killpoint.Kind;
import dev.posthorn.faults.killpoint.Point;
import dev.posthorn.faults.killpoint.PointedDataSource;
import dev.posthorn.faults.killpoint.PointedSink;
import dev.posthorn.log.Filter;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testing.SteppedRelay;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Plays the {@link Script} once for every point at which a relay can end: it ends there, with its connection dropped as it
 * is, and another one plays on. Stepped by hand with a clock that stands still, so that every play is the same up to its
 * kill point, and no point is missed.
 */
public final class Sweep implements AutoCloseable {

    private static final Duration TICK = Duration.ofSeconds(1);
    private static final Duration LEASE = Duration.ofHours(1);
    private static final int MOST_STEPS = 60;

    /** So many problems tell what there is to tell. */
    private static final int ENOUGH = 5;

    /** The rest is recorded while some keys are blocked. */
    private static final int REST_AT_STEP = 2;

    private static final int SLOW_STEPS = 4;

    /** In the end a few plain events come so quickly that a settle has nothing to write but the mark. */
    private static final int PLAIN_AT_THE_END = 5;

    private static final Duration SHORT_TICK = Duration.ofMillis(100);

    private final boolean keepsOrder;
    private final AfterDeadLetter afterDeadLetter;
    private final Database database;
    private final KeptConnection kept;

    /** Those who play on are no matter of kills, so what one has prepared is there for the next. */
    private final HikariDataSource heirs;

    private final SettableClock clock;
    private final Map<Kind, Integer> struck = new EnumMap<>(Kind.class);
    private final Map<Point.Place, Integer> places = new EnumMap<>(Point.Place.class);
    private final List<String> problems = new ArrayList<>();
    private int plays;
    private long repeated;

    public Sweep(EmbeddedPostgres server, boolean keepsOrder, AfterDeadLetter afterDeadLetter) throws SQLException {
        this.keepsOrder = keepsOrder;
        this.afterDeadLetter = afterDeadLetter;
        this.database = Database.create(server, 1);
        // It is the relay that ends here, not the server: what was committed stays so.
        database.execute("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off',"
                + " current_database()); END $$");
        this.kept = new KeptConnection(database.dataSource());
        this.heirs = heirs();
        this.clock = SettableClock.at(Instant.parse("2030-01-01T00:00:00Z"), kept.dataSource(), SchemaName.DEFAULT);
    }

    private HikariDataSource heirs() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(1);
        return new HikariDataSource(config);
    }

    /** The relay ends without a word. */
    private static final class Killed extends Error {

        private static final long serialVersionUID = 1;

        Killed() {
            super("killed", null, false, false);
        }
    }

    /**
     * Ends a relay at every point in turn, or, to be quicker, at every so many. After one statement and before the next
     * is one moment: nobody outside can tell the two apart.
     *
     * @param statements at every so many of the points around statements and commits
     * @param sends at every so many of those around sends and answers, which differ less
     */
    public Report run(int statements, int sends) throws SQLException {
        long started = System.nanoTime();
        KillPoints all = new KillPoints(point -> {});
        play(all);
        int kills = 0;
        int moments = 0;
        for (int number = 1; number <= all.count() && problems.size() < ENOUGH; number++) {
            int target = number;
            Point.Place place = all.point(number).place();
            boolean sameMoment =
                    number > 1 && place.isSameMomentAs(all.point(number - 1).place());
            if (sameMoment || ++moments % (place.isOfASend() ? sends : statements) != 0) {
                continue;
            }
            KillPoints points = new KillPoints(point -> {
                if (point.number() == target) {
                    throw new Killed();
                }
            });
            play(points);
            kills++;
            note(all, points, target);
        }
        Duration took = Duration.ofNanos(System.nanoTime() - started);
        return new Report(keepsOrder, afterDeadLetter, took, all.count(), kills, repeated, places, struck, problems);
    }

    /** What else its unit would have done is known from the play that nobody disturbed. */
    private void note(KillPoints all, KillPoints points, int target) {
        Point expected = all.point(target);
        if (points.count() < target || !points.point(target).equals(expected)) {
            problems.add("the play went another way before " + expected);
            return;
        }
        places.merge(expected.place(), 1, Integer::sum);
        Set<Kind> kinds = all.kindsAround(expected);
        kinds.forEach(kind -> struck.merge(kind, 1, Integer::sum));
        if (kinds.equals(Set.of(Kind.MARK))) {
            struck.merge(Kind.MARK_ALONE, 1, Integer::sum);
        }
    }

    private void play(KillPoints points) throws SQLException {
        Script script = new Script("play-" + ++plays, afterDeadLetter);
        PointedDataSource pointed = new PointedDataSource(database.dataSource(), points);
        ScriptedSink sink = sink(script, 1);
        SteppedRelay relay = relay(pointed.get(), "first-" + plays, new PointedSink(sink, points), script);
        try (Operator operator = new Operator(kept.connection(), script)) {
            relay.pass();
            record(script.events(true));
            points.arm();
            boolean done = false;
            int more = 0;
            for (int step = 1; step <= MOST_STEPS && !done; step++) {
                if (step == REST_AT_STEP) {
                    record(script.events(false));
                }
                try {
                    clock.advance(more > 0 ? SHORT_TICK : TICK);
                    relay.step();
                    if (step % SLOW_STEPS == 0) {
                        sink.answerLate();
                    }
                } catch (Killed killed) {
                    pointed.abort();
                    script.relayEnded(operator.inDoubt());
                    clock.advance(LEASE.multipliedBy(2));
                    sink = sink(script, 2);
                    relay = relay(heirs, "second-" + plays, sink, script).pass();
                }
                operator.look();
                done = step > REST_AT_STEP && operator.isDone();
                if ((done || more > 0) && more < PLAIN_AT_THE_END) {
                    record(script.oneMore());
                    more++;
                    done = false;
                }
            }
            judge(script, operator, points);
        } finally {
            relay.close();
        }
    }

    private void judge(Script script, Operator operator, KillPoints points) throws SQLException {
        List<String> wrong = new ArrayList<>(script.problems());
        wrong.addAll(operator.leftOver());
        if (!wrong.isEmpty()) {
            problems.add("killed after " + points.point(points.count()) + ": " + wrong);
        }
        repeated += script.repeated();
    }

    /** Behind a failure a sink that keeps the order gets again what was not answered: there nothing is slow. */
    private ScriptedSink sink(Script script, int relay) {
        return new ScriptedSink(script, relay, keepsOrder, !keepsOrder);
    }

    private SteppedRelay relay(DataSource dataSource, String instance, Sink sink, Script script) {
        Subscription subscription = Subscription.to(script.source(), sink)
                .filter(Filter.ALL.sources(script.source()))
                .lanes(1)
                .retry(RetryPolicy.of(5, TICK).jitter(0))
                .afterDeadLetter(afterDeadLetter)
                .build();
        return SteppedRelay.of(
                Relay.builder(dataSource).instance(instance).sessionTtl(LEASE).subscribe(subscription), clock);
    }

    private void record(List<Event> events) throws SQLException {
        Connection connection = kept.connection();
        connection.setAutoCommit(false);
        Outbox.create().record(connection, events);
        connection.commit();
        connection.setAutoCommit(true);
    }

    @Override
    public void close() throws SQLException {
        heirs.close();
        kept.close();
    }

    /**
     * What came of a sweep.
     *
     * @param points at which a relay could end
     * @param kills at how many of them it did
     * @param repeated events that came again, all plays together
     * @param struck how many kills were within a unit that did this
     */
    public record Report(
            boolean keepsOrder,
            AfterDeadLetter afterDeadLetter,
            Duration took,
            int points,
            int kills,
            long repeated,
            Map<Point.Place, Integer> places,
            Map<Kind, Integer> struck,
            List<String> problems) {

        public Report {
            places = Map.copyOf(places);
            struck = Map.copyOf(struck);
            problems = List.copyOf(problems);
        }

        /** The kinds of change that no kill met: a sweep that lacks one proves little. */
        public List<Kind> missed() {
            List<Kind> missed = new ArrayList<>(List.of(Kind.values()));
            missed.removeAll(struck.keySet());
            if (afterDeadLetter == AfterDeadLetter.CONTINUE) {
                // Where a dead letter holds nothing there is nothing to let go.
                missed.remove(Kind.LETTER_RELEASED);
            }
            return missed;
        }

        public boolean isClean() {
            return problems.isEmpty() && missed().isEmpty();
        }

        @Override
        public String toString() {
            return (keepsOrder ? "pipelined, " : "one at a time, ") + afterDeadLetter + ": " + kills + " kills at "
                    + points + " points in " + took.toSeconds() + " s, " + repeated + " events came again; " + places
                    + "; in a unit with " + struck
                    + (missed().isEmpty() ? "" : "; proves little: no kill met " + missed())
                    + (problems.isEmpty() ? "" : "\n  WRONG " + String.join("\n  WRONG ", problems));
        }
    }
}
