package dev.posthorn.faults.hub;

import dev.posthorn.server.Serve;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A hub in a process of its own, started by the same command each time, on the same ports. */
public final class HubProcess implements AutoCloseable {

    /** What a JVM exits with after a signal that asked it to end, once its hooks have run. */
    private static final int ENDED_AS_ASKED = 128 + 15;

    private final Path directory;
    private final int httpPort = Ports.free();
    private final int grpcPort = Ports.free();
    private final Map<String, String> variables = new LinkedHashMap<>();
    private final List<String> settings = new ArrayList<>();
    private @Nullable Process process;

    /**
     * @param directory where it is started; its data is in there
     */
    public HubProcess(Path directory) {
        this.directory = directory;
    }

    public HubProcess variable(String name, String value) {
        variables.put(name, value);
        return this;
    }

    public HubProcess setting(String name, String value) {
        settings.addAll(List.of("--set", name + "=" + value));
        return this;
    }

    public void start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile()));
        builder.environment().keySet().removeIf(name -> name.startsWith("POSTHORN_"));
        builder.environment().putAll(variables);
        process = builder.start();
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Serve.class.getName(),
                "--data",
                data().toString(),
                "--http-port",
                Integer.toString(httpPort),
                "--grpc-port",
                Integer.toString(grpcPort)));
        command.addAll(settings);
        return command;
    }

    Path data() {
        return directory.resolve("data");
    }

    String rest() {
        return "http://127.0.0.1:" + httpPort;
    }

    int grpcPort() {
        return grpcPort;
    }

    /** SIGKILL; returns when it is gone. */
    void kill() throws InterruptedException {
        Process running = running();
        running.destroyForcibly();
        running.waitFor();
    }

    /** Asks it to end; false if it does not, or not in order. */
    boolean stop() throws InterruptedException {
        Process running = running();
        running.destroy();
        return running.waitFor(40, TimeUnit.SECONDS) && running.exitValue() == ENDED_AS_ASKED;
    }

    public void requireAlive() {
        running();
    }

    private Process running() {
        Process started = process;
        if (started == null || !started.isAlive()) {
            throw new IllegalStateException("the hub does not run; its log:\n" + log());
        }
        return started;
    }

    public String log() {
        try {
            return Files.readString(logFile().toPath());
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    private File logFile() {
        return directory.resolve("hub.log").toFile();
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }
}
