package dev.posthorn.faults.harness;

import dev.posthorn.testkit.ChildJvm;
import dev.posthorn.testkit.TemporaryDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The processes of a run, each with a name that no other one ever had. */
public final class Fleet implements AutoCloseable {

    /** Much more than it takes, because the machine may be busy with others. */
    private static final int TIME_TO_END_SECONDS = 120;

    private static final int LAST_LINES = 400;

    private static final List<String> OPTIONS = ChildJvm.small(128, "-Dposthorn.log.level=INFO");

    private final Database database;
    private final Class<?> program;
    private final String names;
    private final List<String> settings;
    private final TemporaryDirectory logs;
    private final Map<String, Process> processes = new LinkedHashMap<>();
    private int count;

    /**
     * @param program its arguments are the JDBC URL, user, password, the instance's name, and then the settings
     * @param names what every instance's name begins with
     */
    public Fleet(Database database, Class<?> program, String names, List<String> settings) throws IOException {
        this.database = database;
        this.program = program;
        this.names = names;
        this.settings = List.copyOf(settings);
        this.logs = TemporaryDirectory.create("posthorn-faults-");
    }

    public String start() throws IOException {
        String instance = names + "-" + ++count;
        List<String> arguments = new ArrayList<>(List.of(
                database.jdbcUrl(), database.server().user(), database.server().password(), instance));
        arguments.addAll(settings);
        Process process = ChildJvm.of(program, OPTIONS, arguments)
                .redirectErrorStream(true)
                .redirectOutput(logFile(instance).toFile())
                .start();
        processes.put(instance, process);
        return instance;
    }

    public List<String> alive() {
        return List.copyOf(processes.keySet());
    }

    /** SIGKILL. */
    public void kill(String instance) {
        process(instance).destroyForcibly();
        processes.remove(instance);
    }

    public void freeze(String instance) throws IOException {
        signal("STOP", instance);
    }

    public void thaw(String instance) throws IOException {
        signal("CONT", instance);
    }

    private void signal(String signal, String instance) throws IOException {
        try {
            ChildJvm.signal(signal, process(instance));
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
        return ChildJvm.log(logFile(instance));
    }

    private Path logFile(String instance) {
        return logs.path().resolve(instance + ".log");
    }

    /** Lets one end cleanly; false if it did not. */
    public boolean stop(String instance) throws IOException, InterruptedException {
        process(instance).getOutputStream().close();
        boolean clean = endsCleanly(instance);
        processes.remove(instance);
        return clean;
    }

    private boolean endsCleanly(String instance) throws IOException, InterruptedException {
        Process process = Objects.requireNonNull(processes.get(instance));
        if (process.waitFor(TIME_TO_END_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0) {
            return true;
        }
        if (process.isAlive()) {
            // Has it say in its log what its threads do.
            signal("QUIT", instance);
            process.waitFor(1, TimeUnit.SECONDS);
        }
        List<String> log = log(instance).lines().toList();
        System.err.println(instance + " did not end cleanly; the end of its log:\n"
                + String.join("\n", log.subList(Math.max(0, log.size() - LAST_LINES), log.size())));
        return false;
    }

    /** Lets every process end cleanly; false if one did not. */
    public boolean stop() throws IOException, InterruptedException {
        for (Process process : processes.values()) {
            process.getOutputStream().close();
        }
        boolean clean = true;
        for (String instance : processes.keySet()) {
            clean &= endsCleanly(instance);
        }
        return clean;
    }

    @Override
    public void close() throws IOException {
        processes.values().forEach(Process::destroyForcibly);
        logs.close();
    }
}
