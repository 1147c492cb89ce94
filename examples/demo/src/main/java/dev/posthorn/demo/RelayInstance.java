package dev.posthorn.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A relay process as the demo sees it. */
final class RelayInstance {

    /**
     * Ctrl-C goes to every process of the terminal, but a relay is to end when the demo says so, after everything is
     * delivered. A JVM leaves alone the signals that were ignored when it started.
     */
    private static final String DEAF_TO_THE_TERMINAL = "trap '' INT HUP; exec \"$@\"";

    private static final Pattern REPORT = Pattern.compile("lanes (\\d+) delivered (\\d+)");
    private static final int SECONDS_TO_END = 30;

    private final String name;
    private final Process process;
    private final Consumer<String> trouble;
    private final Thread reader = new Thread(this::read, "relay-reports");
    private volatile boolean stopping;
    private volatile int lanes;
    private volatile long delivered;

    private RelayInstance(String name, Process process, Consumer<String> trouble) {
        this.name = name;
        this.process = process;
        this.trouble = trouble;
    }

    static RelayInstance start(
            String name, EmbeddedPostgres postgres, EmbeddedKafka kafka, int lanes, Consumer<String> trouble) {
        List<String> command = List.of(
                "sh",
                "-c",
                DEAF_TO_THE_TERMINAL,
                name,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                // Several JVMs start at once on a small machine, and what counts is how soon they deliver.
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                RelayProcess.class.getName(),
                name,
                postgres.jdbcUrl(),
                kafka.bootstrapServers(),
                Integer.toString(lanes));
        var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        // Not among the arguments, which every user of the machine can read.
        builder.environment().put(RelayProcess.PASSWORD, postgres.password());
        try {
            var instance = new RelayInstance(name, builder.start(), trouble);
            instance.reader.start();
            return instance;
        } catch (IOException e) {
            throw new UncheckedIOException("could not start the relay process " + name + ": " + e.getMessage(), e);
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                take(line);
            }
        } catch (IOException e) {
            trouble.accept(name + " cannot be heard any more: " + e.getMessage());
        }
        if (!stopping) {
            trouble.accept(name + " ended by itself");
        }
    }

    private void take(String line) {
        Matcher report = REPORT.matcher(line);
        if (report.matches()) {
            lanes = Integer.parseInt(report.group(1));
            delivered = Long.parseLong(report.group(2));
        }
    }

    String name() {
        return name;
    }

    boolean hasLane() {
        return lanes > 0;
    }

    /** After {@link #stop()} the whole number, before it that of the last report. */
    long delivered() {
        return delivered;
    }

    /** Asks the process to end, without waiting for it. */
    void askToStop() {
        if (stopping) {
            return;
        }
        stopping = true;
        try (var input = process.outputWriter(UTF_8)) {
            input.write(RelayProcess.STOP + "\n");
        } catch (IOException e) {
            trouble.accept(name + " had ended before it was asked to");
        }
    }

    void stop() throws InterruptedException {
        askToStop();
        if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
            trouble.accept(name + " did not end within " + SECONDS_TO_END + " s and was killed");
            process.destroyForcibly().waitFor();
        }
        reader.join();
        if (process.exitValue() != 0) {
            trouble.accept(name + " ended with exit code " + process.exitValue());
        }
    }
}
