package dev.posthorn.faults;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs the faults for as long as one likes. Exits 0 only if no promise was broken. */
@Command(
        name = "posthorn faults",
        mixinStandardHelpOptions = true,
        description = "Breaks things on purpose and checks that no promise was broken.")
public final class Faults {

    private static final int LEAST_KILLS = 20;

    public static void main(String[] args) {
        int exit = new CommandLine(new Faults())
                .registerConverter(Duration.class, Faults::duration)
                .execute(args);
        System.exit(exit);
    }

    static Duration duration(String text) {
        String iso = "PT" + text.toUpperCase(Locale.ROOT);
        return Duration.parse(iso);
    }

    @Command(mixinStandardHelpOptions = true, description = "Reads the log beside writers that make it difficult.")
    int torture(
            @Option(names = "--for", defaultValue = "60s", description = "e.g. 60s, 10m") Duration time,
            @Option(names = "--seed", defaultValue = "0", description = "0: a new one") long seed,
            @Option(names = "--oldest", description = "on the oldest PostgreSQL supported") boolean oldest) {
        return run(() -> {
            EmbeddedPostgres server = oldest ? Servers.oldest() : Servers.newest();
            Torture.Report report =
                    new Torture(server, orAny(seed)).attachAllForms().runFor(time);
            System.out.println("torture: " + report);
            report.missing().forEach(what -> System.out.println("proves little: no " + what));
            return report.isClean() && report.missing().isEmpty();
        });
    }

    @Command(mixinStandardHelpOptions = true, description = "Kills relay processes while events are in flight.")
    int kill(
            @Option(names = "--for", defaultValue = "60s", description = "e.g. 60s, 10m") Duration time,
            @Option(names = "--seed", defaultValue = "0", description = "0: a new one") long seed) {
        return run(() -> {
            try (Relays relays = new Relays(Servers.newest(), orAny(seed))) {
                Relays.Report report = relays.kill(LEAST_KILLS, time);
                System.out.println("kill: " + report);
                return report.isClean() && report.struck() >= LEAST_KILLS;
            }
        });
    }

    @Command(mixinStandardHelpOptions = true, description = "Freezes relay processes past their leases and thaws them.")
    int freeze(
            @Option(names = "--for", defaultValue = "60s", description = "e.g. 60s, 10m") Duration time,
            @Option(names = "--seed", defaultValue = "0", description = "0: a new one") long seed) {
        return run(() -> {
            try (Relays relays = new Relays(Servers.newest(), orAny(seed))) {
                Relays.Report report = relays.freeze(1, time);
                System.out.println("freeze: " + report);
                return report.isClean();
            }
        });
    }

    private static long orAny(long seed) {
        return seed == 0 ? System.nanoTime() : seed;
    }

    private static int run(Callable<Boolean> faults) {
        try {
            return faults.call() ? 0 : 1;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
