package dev.posthorn.demo;

import java.io.PrintStream;
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

    private final Console console;

    private Demo(Console console) {
        this.console = console;
    }

    public static void main(String[] args) {
        System.exit(execute(Console.standard(), args));
    }

    static int execute(Console console, String... args) {
        return console.commandLine(new Demo(console)).execute(args);
    }

    @Override
    public Integer call() throws InterruptedException {
        Settings settings;
        try {
            settings = new Settings(rate, duration, !noKills, seed);
        } catch (IllegalArgumentException e) {
            return console.refuse(new ParameterException(new CommandLine(this), e.getMessage()));
        }
        PrintStream err = console.err();
        StopSignal stop = StopSignal.install(err);
        try {
            return new DemoRun(settings, new Screen(console.out()), stop).run() ? ExitCode.OK : ExitCode.SOFTWARE;
        } catch (RuntimeException e) {
            err.println();
            err.println("posthorn demo: " + e.getMessage());
            return ExitCode.SOFTWARE;
        }
    }
}
