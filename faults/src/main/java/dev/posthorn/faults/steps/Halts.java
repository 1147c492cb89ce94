package dev.posthorn.faults.steps;

import dev.posthorn.Outbox;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.faults.Database;
import dev.posthorn.relay.AfterDeadLetter;
import dev.posthorn.relay.Relay;
import java.io.IOException;
import java.nio.file.Path;
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
import java.util.concurrent.TimeUnit;

/**
 * The same play with real processes, each of which ends itself at one sort of point: what {@link Sweep} drops by hand,
 * the operating system drops here.
 */
public final class Halts implements AutoCloseable {

    private static final int AT_A_TIME = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

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

    private List<String> play(Target target) throws SQLException, IOException, InterruptedException {
        String name = "halt-" + TARGETS.indexOf(target);
        Script script = new Script(name, AfterDeadLetter.HOLD);
        receiver.play(script);
        try (Connection connection = database.dataSource().getConnection();
                Operator operator = new Operator(connection, script)) {
            record(connection, script);
            Process process = start(name, target);
            try {
                becomes(() -> {
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

    private void goOn(Script script, Operator operator) throws SQLException, InterruptedException {
        ScriptedSink sink = new ScriptedSink(script, 2, false, false);
        try (Relay relay = Relay.builder(database.dataSource())
                .workers(1)
                .subscribe(HaltingRelay.subscription(script.source(), sink))
                .start()) {
            becomes(() -> {
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
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dposthorn.log.level=OFF",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HaltingRelay.class.getName(),
                        database.jdbcUrl(),
                        database.server().user(),
                        database.server().password(),
                        Integer.toString(receiver.port()),
                        name,
                        target.place().name(),
                        target.kind().name())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Something that becomes true. */
    private interface Condition {
        boolean holds() throws SQLException;
    }

    private static void becomes(Condition condition) throws SQLException, InterruptedException {
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds() && System.nanoTime() < giveUpAt) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
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
