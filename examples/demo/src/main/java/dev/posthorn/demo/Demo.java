package dev.posthorn.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
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
            "Runs two services, on a PostgreSQL and a Kafka of their own, on 127.0.0.1: orders, which places orders and"
                    + " publishes events, and billing, which books them in another database. Customers order and change"
                    + " their orders while the broker, orders and billing are killed (SIGKILL) in turn and started again."
                    + " At the end the books must agree with the orders."
        },
        footer = {
            "",
            "Ctrl-C ends it with the verdict. Exit code: 0 if every order is booked with exactly its amount, every change"
                    + " once and in order, and nothing else; 1 if not; 2 if an option is wrong."
        })
public final class Demo implements Callable<Integer> {

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = DurationText.class,
            description = "How long to place orders: 60s, 5m, 1h, and at least until each process was killed once"
                    + " (default: until Ctrl-C).")
    private @Nullable Duration duration;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Orders and changes per second (default: ${DEFAULT-VALUE}).")
    private int rate = 20;

    @Option(names = "--no-kills", description = "Kill nothing.")
    private boolean noKills;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Chooses the orders and the victims; the same seed, the same choices (default: by chance).")
    private long seed = ThreadLocalRandom.current().nextInt(1_000_000);

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
            settings = new Settings(rate, duration, !noKills, seed);
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
