package dev.posthorn.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program in a JVM of its own, with the class path of this one. It ends with this one, also by Ctrl-C. */
final class ChildProgram implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 15;

    private final String name;
    private final Process process;
    private final BufferedReader output;
    private final Thread atExit = new Thread(this::end, "bench-end-child");

    private ChildProgram(String name, Process process) {
        this.name = name;
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    static ChildProgram start(
            Class<?> main, List<String> jvmOptions, Map<String, String> environment, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        return new ChildProgram(main.getSimpleName(), builder.start());
    }

    /** Waits for the line that begins so, and gives the rest of it. */
    String awaitLine(String beginning) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length()).trim();
            }
        }
        throw new IllegalStateException(name + " ended before it wrote \"" + beginning + "\"; see its messages above");
    }

    /** CPU time that it has used so far. */
    Duration cpuTime() {
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
