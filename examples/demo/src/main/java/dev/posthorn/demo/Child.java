package dev.posthorn.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A program in a JVM of its own, which can be killed and started again. It is up when it listens on its port. */
final class Child implements AutoCloseable {

    /**
     * Ctrl-C goes to every process of the terminal, but a child is to end when the demo says so. A JVM leaves alone the
     * signals that were ignored when it started.
     */
    private static final String DEAF_TO_THE_TERMINAL = "trap '' INT HUP; exec \"$@\"";

    private static final Duration START_LIMIT = Duration.ofMinutes(5);
    private static final int SECONDS_TO_END = 60;

    private final Program program;
    private final Path logs;
    private volatile @Nullable Process process;
    private volatile boolean up;

    /**
     * What runs.
     *
     * @param environment also for what is nobody's business: every user of the machine can read arguments
     */
    record Program(
            String name,
            Class<?> main,
            String classPath,
            int port,
            List<String> arguments,
            Map<String, String> environment) {}

    /** @param logs where it runs, and its log is */
    Child(Program program, Path logs) {
        this.program = program;
        this.logs = logs;
    }

    /**
     * So many ports, below those that the kernel gives to outgoing connections, and below those that embedded servers choose
     * from: either could take one while its program is down.
     */
    static List<Integer> freePorts(int count) {
        return ThreadLocalRandom.current()
                .ints(10_000, 11_000)
                .distinct()
                .filter(Child::isFree)
                .limit(count)
                .boxed()
                .toList();
    }

    static boolean isFree(int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    void launch() {
        Stream<String> java = Stream.of(
                "sh",
                "-c",
                DEAF_TO_THE_TERMINAL,
                program.name(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                // Several JVMs start at once on a small machine, and what counts is how soon they are up.
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                program.classPath(),
                program.main().getName());
        var builder = new ProcessBuilder(
                        Stream.concat(java, program.arguments().stream()).toList())
                .directory(logs.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        builder.environment().putAll(program.environment());
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException("could not start " + name() + ": " + e.getMessage(), e);
        }
    }

    void awaitUp() throws InterruptedException {
        long giveUpAt = System.nanoTime() + START_LIMIT.toNanos();
        while (!listens()) {
            if (hasEnded()) {
                throw new IllegalStateException(name() + " ended instead of starting; its log is " + log());
            }
            if (System.nanoTime() > giveUpAt) {
                throw new IllegalStateException(
                        name() + " was not up after " + START_LIMIT.toSeconds() + " s; its log is " + log());
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        up = true;
    }

    private boolean listens() {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), program.port())) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    private boolean hasEnded() {
        Process running = process;
        return running == null || !running.isAlive();
    }

    /** SIGKILL: nothing in it gets to know. */
    void kill() throws InterruptedException {
        up = false;
        Process running = process;
        if (running != null) {
            running.destroyForcibly().waitFor();
        }
    }

    String name() {
        return program.name();
    }

    boolean isUp() {
        return up;
    }

    /**
     * That it has ended although nobody killed it. Whoever kills it says first that it is not up, and it is up again only as
     * another process; asked in any other order, a kill in between would look like an end of its own.
     */
    Optional<String> trouble() {
        Process running = process;
        boolean endedByItself = running != null && !running.isAlive() && up && running == process;
        return endedByItself ? Optional.of(name() + " ended by itself; its log is " + log()) : Optional.empty();
    }

    private Path log() {
        return logs.resolve(name() + ".log");
    }

    void askToEnd() {
        up = false;
        Process running = process;
        if (running != null) {
            running.destroy();
        }
    }

    @Override
    public void close() {
        askToEnd();
        Process running = process;
        try {
            if (running != null && !running.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
                running.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            running.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
