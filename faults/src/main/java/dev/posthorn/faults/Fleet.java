package dev.posthorn.faults;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.postgresql.ds.PGSimpleDataSource;

/** The processes of a run, each with a name that no other one ever had. */
public final class Fleet implements AutoCloseable {

    static final int LANES = 8;
    static final int IN_FLIGHT_LIMIT = 60;

    /** As short as a lease may be for this timeout. */
    static final long TIMEOUT_MILLIS = 500;

    static final long LEASE_MILLIS = 2_000;

    private final Database database;
    private final Class<?> program;
    private final String names;
    private final List<String> settings;
    private final Path logs;
    private final Map<String, Process> processes = new LinkedHashMap<>();
    private int count;

    Fleet(Database database, Receiver receiver) throws IOException {
        this(
                database,
                RelayProcess.class,
                "relay",
                List.of(
                        Integer.toString(receiver.socketPort()),
                        Integer.toString(receiver.httpPort()),
                        Integer.toString(LANES),
                        Integer.toString(IN_FLIGHT_LIMIT),
                        Long.toString(LEASE_MILLIS),
                        Long.toString(TIMEOUT_MILLIS)));
    }

    /**
     * @param program its arguments are the JDBC URL, user, password, the instance's name, and then the settings
     * @param names what every instance's name begins with
     */
    public Fleet(Database database, Class<?> program, String names, List<String> settings) throws IOException {
        this.database = database;
        this.program = program;
        this.names = names;
        this.settings = List.copyOf(settings);
        this.logs = Files.createTempDirectory("posthorn-faults-");
    }

    /** For the program: where its first three arguments say. */
    public static PGSimpleDataSource dataSource(String[] args) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(args[0]);
        dataSource.setUser(args[1]);
        dataSource.setPassword(args[2]);
        return dataSource;
    }

    /** For the program: its standard input ends when it is to end, and when its parent has. */
    public static void untilToldToEnd() throws IOException {
        while (System.in.read() >= 0) {
            // whatever is written to it means nothing
        }
    }

    public String start() throws IOException {
        String instance = names + "-" + ++count;
        Process process = new ProcessBuilder(command(instance))
                .redirectErrorStream(true)
                .redirectOutput(logFile(instance))
                .start();
        processes.put(instance, process);
        return instance;
    }

    private List<String> command(String instance) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dposthorn.log.level=INFO",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName(),
                database.jdbcUrl(),
                database.server().user(),
                database.server().password(),
                instance));
        command.addAll(settings);
        return command;
    }

    public List<String> alive() {
        return List.copyOf(processes.keySet());
    }

    /** SIGKILL. */
    public void kill(String instance) {
        process(instance).destroyForcibly();
        processes.remove(instance);
    }

    void freeze(String instance) throws IOException {
        signal("-STOP", instance);
    }

    void thaw(String instance) throws IOException {
        signal("-CONT", instance);
    }

    private void signal(String signal, String instance) throws IOException {
        Process kill = new ProcessBuilder(
                        "kill", signal, Long.toString(process(instance).pid()))
                .start();
        try {
            if (kill.waitFor() != 0) {
                throw new IOException("kill " + signal + " of " + instance + " failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private Process process(String instance) {
        Process process = processes.get(instance);
        if (process == null || !process.isAlive()) {
            throw new IllegalStateException(instance + " is not running; its log:\n" + log(instance));
        }
        return process;
    }

    public String log(String instance) {
        try {
            return Files.readString(logFile(instance).toPath());
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    private File logFile(String instance) {
        return logs.resolve(instance + ".log").toFile();
    }

    /** Lets one end cleanly; false if it did not. */
    public boolean stop(String instance) throws IOException, InterruptedException {
        Process process = process(instance);
        processes.remove(instance);
        process.getOutputStream().close();
        return endsCleanly(process);
    }

    private static boolean endsCleanly(Process process) throws InterruptedException {
        return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    /** Lets every process end cleanly; false if one did not. */
    public boolean stop() throws IOException, InterruptedException {
        for (Process process : processes.values()) {
            process.getOutputStream().close();
        }
        boolean clean = true;
        for (Process process : processes.values()) {
            clean &= endsCleanly(process);
        }
        return clean;
    }

    @Override
    public void close() throws IOException {
        processes.values().forEach(Process::destroyForcibly);
        try (var files = Files.list(logs)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(logs);
    }
}
