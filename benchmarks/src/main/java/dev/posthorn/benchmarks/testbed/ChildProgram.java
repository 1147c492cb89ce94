package dev.posthorn.benchmarks.testbed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import dev.posthorn.testkit.ChildJvm;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A program in a JVM of its own, with the class path of this one. It ends with this one, also by Ctrl-C. */
public final class ChildProgram implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 15;

    private final String name;
    private final Process process;
    private final Thread atExit = new Thread(this::end, "bench-end-child");

    private ChildProgram(String name, Process process) {
        this.name = name;
        this.process = process;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    public static ChildProgram start(
            Class<?> main, List<String> jvmOptions, Map<String, String> environment, List<String> arguments)
            throws IOException {
        ProcessBuilder builder =
                ChildJvm.of(main, jvmOptions, arguments).redirectError(ProcessBuilder.Redirect.INHERIT);
        // What is set for a hub of the caller's is not meant for one of ours.
        builder.environment().keySet().removeIf(variable -> variable.startsWith("POSTHORN_"));
        builder.environment().putAll(environment);
        return new ChildProgram(main.getSimpleName(), builder.start());
    }

    /** Waits for the line that begins so, and gives the rest of it. */
    public String awaitLine(String beginning) throws IOException {
        return ChildJvm.awaitLine(process, beginning);
    }

    /**
     * The same for a program that goes on talking: all that it says goes to this file, and a pipe that nobody reads would stop
     * it.
     */
    public String awaitLine(String beginning, Path log, Duration longest) throws IOException, InterruptedException {
        CompletableFuture<String> found = new CompletableFuture<>();
        Thread reader = new Thread(() -> copy(log, beginning, found), "bench-child-log");
        reader.setDaemon(true);
        reader.start();
        try {
            return found.get(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw unsaid(beginning, "it ended", log, e);
        } catch (TimeoutException e) {
            throw unsaid(beginning, longest + " had passed", log, e);
        }
    }

    private IOException unsaid(String beginning, String before, Path log, Exception cause) {
        return new IOException(
                name + " has not said \"" + beginning + "\" before " + before + "; its log:\n" + ChildJvm.log(log),
                cause);
    }

    private void copy(Path log, String beginning, CompletableFuture<String> found) {
        try (BufferedReader output = process.inputReader(UTF_8);
                BufferedWriter file = Files.newBufferedWriter(log, CREATE, APPEND)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                file.write(line);
                file.newLine();
                file.flush();
                if (line.startsWith(beginning)) {
                    found.complete(line.substring(beginning.length()).strip());
                }
            }
            found.completeExceptionally(new IOException(name + " has ended"));
        } catch (IOException e) {
            found.completeExceptionally(e);
        }
    }

    public long pid() {
        return process.pid();
    }

    /** Asks it to end, and tells whether it did. */
    public boolean stop(Duration longest) throws InterruptedException {
        process.destroy();
        return process.waitFor(longest.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** CPU time that it has used so far. */
    public Duration cpuTime() {
        return process.info()
                .totalCpuDuration()
                .orElseThrow(() -> new IllegalStateException("This system does not tell the CPU time of " + name));
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException shuttingDown) {
            // The hook runs or has run: nothing is left to take back.
            return;
        }
    }

    private void end() {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
