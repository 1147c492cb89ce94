package dev.posthorn.faults.harness;

import dev.posthorn.server.Serve;
import dev.posthorn.testkit.ChildJvm;
import dev.posthorn.testkit.FreePort;
import java.io.IOException;
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

    private static final int TIME_TO_END_SECONDS = 120;

    private final Path directory;
    private final int httpPort = FreePort.find();
    private final int grpcPort = FreePort.find();
    private final Map<String, String> variables = new LinkedHashMap<>();
    private final List<String> settings = new ArrayList<>();
    private List<String> java = ChildJvm.small(256);
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

    /** Options of its JVM, in place of those that let it start soon and stay small. */
    public HubProcess java(String... options) {
        java = List.of(options);
        return this;
    }

    public void start() throws IOException {
        ProcessBuilder builder = ChildJvm.of(Serve.class, java, arguments())
                .redirectErrorStream(true)
                .directory(directory.toFile())
                .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()));
        builder.environment().keySet().removeIf(name -> name.startsWith("POSTHORN_"));
        builder.environment().putAll(variables);
        process = builder.start();
    }

    private List<String> arguments() {
        List<String> arguments = new ArrayList<>(List.of(
                "--data",
                data().toString(),
                "--http-port",
                Integer.toString(httpPort),
                "--grpc-port",
                Integer.toString(grpcPort)));
        arguments.addAll(settings);
        return arguments;
    }

    public Path data() {
        return directory.resolve("data");
    }

    public String rest() {
        return "http://127.0.0.1:" + httpPort;
    }

    public int httpPort() {
        return httpPort;
    }

    public int grpcPort() {
        return grpcPort;
    }

    /** SIGKILL; returns when it is gone. */
    public void kill() throws InterruptedException {
        Process running = running();
        running.destroyForcibly();
        running.waitFor();
    }

    /** Asks it to end; false if it does not, or not in order. */
    public boolean stop() throws InterruptedException {
        Process running = running();
        running.destroy();
        return running.waitFor(TIME_TO_END_SECONDS, TimeUnit.SECONDS) && running.exitValue() == ENDED_AS_ASKED;
    }

    public void requireAlive() {
        running();
    }

    public boolean isAlive() {
        return process != null && process.isAlive();
    }

    public long pid() {
        return running().pid();
    }

    private Process running() {
        Process started = process;
        if (started == null || !isAlive()) {
            throw new IllegalStateException("the hub does not run; its log:\n" + log());
        }
        return started;
    }

    public String log() {
        return ChildJvm.log(logFile());
    }

    private Path logFile() {
        return directory.resolve("hub.log");
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }
}
