package dev.posthorn.benchmarks.testbed;

import dev.posthorn.testkit.ChildJvm;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

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
        builder.environment().putAll(environment);
        return new ChildProgram(main.getSimpleName(), builder.start());
    }

    /** Waits for the line that begins so, and gives the rest of it. */
    public String awaitLine(String beginning) throws IOException {
        return ChildJvm.awaitLine(process, beginning);
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
