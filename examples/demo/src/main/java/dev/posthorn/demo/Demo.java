package dev.posthorn.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The command line of the demo. */
@Command(
        name = "posthorn demo",
        sortOptions = false,
        description = {
            "Runs an order service that records events with its orders in PostgreSQL, relay processes that deliver them to"
                    + " Kafka, and a consumer that checks what arrives. It brings its own PostgreSQL and Kafka, on 127.0.0.1."
        },
        footer = {
            "",
            "Ctrl-C ends it with a summary. Exit code: 0 if every recorded event was received, none out of order per key,"
                    + " and every relay process had a share; 1 if not; 2 if an option is wrong."
        })
public final class Demo implements Callable<Integer> {

    @Option(names = "--rate", paramLabel = "N", description = "Events per second (default: ${DEFAULT-VALUE}).")
    private int rate = 200;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = DurationText.class,
            description = "How long to record events: 20s, 500ms, 5m, 1h (default: until Ctrl-C).")
    private @Nullable Duration duration;

    @Option(names = "--instances", paramLabel = "N", description = "Relay processes (default: ${DEFAULT-VALUE}).")
    private int instances = 1;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "Customers; the events of each arrive in order (default: ${DEFAULT-VALUE}).")
    private int keys = 100;

    @Option(
            names = "--lanes",
            paramLabel = "N",
            description =
                    "Shares of the keys that relay processes divide among themselves (default: ${DEFAULT-VALUE}).")
    private int lanes = 4;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Where PostgreSQL and Kafka keep their files; a later run goes on with them"
                    + " (default: a temporary directory, deleted at the end).")
    private @Nullable Path data;

    /** Read by picocli, which shows the page. */
    @SuppressWarnings("unused")
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this page.")
    private boolean help;

    private final PrintStream out;
    private final PrintStream err;

    private Demo(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] args) {
        // The JVM's own choice follows the locale, and under LANG=C it would print "?" for every dash and ellipsis.
        var out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
        var err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8);
        System.exit(execute(out, err, args));
    }

    static int execute(PrintStream out, PrintStream err, String... args) {
        return new CommandLine(new Demo(out, err))
                .setOut(new PrintWriter(out, true, UTF_8))
                .setErr(new PrintWriter(err, true, UTF_8))
                .setUsageHelpWidth(100)
                .setParameterExceptionHandler((e, arguments) -> refuse(e, err))
                .execute(args);
    }

    private static int refuse(ParameterException e, PrintStream err) {
        err.println("posthorn demo: " + e.getMessage());
        err.println("\"posthorn demo --help\" shows the options.");
        return ExitCode.USAGE;
    }

    @Override
    public Integer call() throws InterruptedException {
        Settings settings;
        try {
            settings = new Settings(rate, duration, instances, keys, lanes, data);
        } catch (IllegalArgumentException e) {
            return refuse(new ParameterException(new CommandLine(this), e.getMessage()), err);
        }
        StopSignal stop = StopSignal.install(err);
        try {
            return new DemoRun(settings, new Screen(out), stop).run() ? ExitCode.OK : ExitCode.SOFTWARE;
        } catch (RuntimeException e) {
            err.println();
            err.println("posthorn demo: " + e.getMessage());
            return ExitCode.SOFTWARE;
        }
    }
}
