package dev.posthorn.faults.steps;

import dev.posthorn.Outbox;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Patience;
import dev.posthorn.faults.killpoint.Kind;
import dev.posthorn.faults.killpoint.Point;
import dev.posthorn.relay.Relay;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.testkit.ChildJvm;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The same play with real processes, each of which ends itself at one sort of point: what {@link Sweep} drops by hand,
 * the operating system drops here.
 */
public final class Halts implements AutoCloseable {

    private static final int AT_A_TIME = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private static final List<Target> TARGETS = List.of(
            Target.anyKind(Point.Place.BEFORE_SEND),
            Target.anyKind(Point.Place.BEFORE_ANSWER),
            Target.anyKind(Point.Place.AFTER_ANSWER),
            new Target(Point.Place.BEFORE_COMMIT, Kind.RETRY_ROW),
            new Target(Point.Place.AFTER_COMMIT, Kind.HELD_ROW),
            new Target(Point.Place.AFTER_STATEMENT, Kind.HELD_PAGE),
            new Target(Point.Place.BEFORE_COMMIT, Kind.DEAD_LETTER),
            new Target(Point.Place.AFTER_COMMIT, Kind.DEAD_LETTER),
            new Target(Point.Place.BEFORE_COMMIT, Kind.ITEM_COUNTED),
            new Target(Point.Place.AFTER_COMMIT, Kind.ITEM_FAILED),
            new Target(Point.Place.BEFORE_COMMIT, Kind.REPLAY_DELIVERED),
            new Target(Point.Place.AFTER_COMMIT, Kind.ROW_REMOVED));

    private final Database database;
    private final ScriptedReceiver receiver;

    public Halts(EmbeddedPostgres server) throws SQLException, IOException {
        this.database = Database.create(server, 1);
        this.receiver = new ScriptedReceiver();
    }

    /**
     * Where to end.
     *
     * @param kind what the statement or transaction does; {@link Kind#MARK} stands for anything
     */
    record Target(Point.Place place, Kind kind) {

        static Target anyKind(Point.Place place) {
            return new Target(place, Kind.MARK);
        }

        boolean isMetBy(Point point) {
            return point.place() == place && (kind == Kind.MARK || point.kinds().contains(kind));
        }

        @Override
        public String toString() {
            return kind == Kind.MARK ? place.name() : place + " " + kind;
        }
    }

    public Report run() throws InterruptedException, ExecutionException {
        long started = System.nanoTime();
        ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME);
        try {
            Map<Target, Future<List<String>>> runs = new LinkedHashMap<>();
            TARGETS.forEach(target -> runs.put(target, threads.submit(() -> play(target))));
            List<String> problems = new ArrayList<>();
            for (Map.Entry<Target, Future<List<String>>> run : runs.entrySet()) {
                List<String> wrong = run.getValue().get();
                if (!wrong.isEmpty()) {
                    problems.add("ended at " + run.getKey() + ": " + wrong);
                }
            }
            return new Report(TARGETS.size(), Duration.ofNanos(System.nanoTime() - started), problems);
        } finally {
            threads.shutdownNow();
        }
    }

    private List<String> play(Target target) throws Exception {
        String name = "halt-" + TARGETS.indexOf(target);
        Script script = new Script(name, AfterDeadLetter.HOLD);
        receiver.play(script);
        try (Connection connection = database.dataSource().getConnection();
                Operator operator = new Operator(connection, script)) {
            record(connection, script);
            Process process = start(name, target);
            try {
                Patience.becomes(PATIENCE, () -> {
                    operator.look();
                    return !process.isAlive();
                });
                if (process.isAlive() || process.exitValue() != HaltingRelay.HALTED) {
                    return List.of("the process did not come there: " + process);
                }
            } finally {
                process.destroyForcibly();
            }
            script.relayEnded(operator.inDoubt());
            database.endLeases(name);
            goOn(script, operator);
            List<String> problems = new ArrayList<>(script.problems());
            problems.addAll(operator.leftOver());
            return problems;
        }
    }

    private void goOn(Script script, Operator operator) throws Exception {
        ScriptedSink sink = new ScriptedSink(script, 2, false, false);
        try (Relay relay = Relay.builder(database.dataSource())
                .workers(1)
                .sessionTtl(HaltingRelay.SESSION)
                .subscribe(HaltingRelay.subscription(script.source(), sink))
                .start()) {
            Patience.becomes(PATIENCE, () -> {
                operator.look();
                return operator.isDone() && !relay.lanes().isEmpty();
            });
        }
    }

    private static void record(Connection connection, Script script) throws SQLException {
        connection.setAutoCommit(false);
        Outbox.create().record(connection, script.events(true));
        Outbox.create().record(connection, script.events(false));
        connection.commit();
        connection.setAutoCommit(true);
    }

    private Process start(String name, Target target) throws IOException {
        List<String> arguments = List.of(
                database.jdbcUrl(),
                database.server().user(),
                database.server().password(),
                Integer.toString(receiver.port()),
                name,
                target.place().name(),
                target.kind().name());
        return ChildJvm.of(HaltingRelay.class, ChildJvm.small(64, "-Dposthorn.log.level=OFF"), arguments)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    @Override
    public void close() throws IOException {
        receiver.close();
    }

    /** What came of it. */
    public record Report(int halts, Duration took, List<String> problems) {

        public Report {
            problems = List.copyOf(problems);
        }

        public boolean isClean() {
            return problems.isEmpty();
        }

        @Override
        public String toString() {
            return halts + " processes that ended themselves, in " + took.toSeconds() + " s"
                    + (problems.isEmpty() ? "" : "\n  WRONG " + String.join("\n  WRONG ", problems));
        }
    }
}
