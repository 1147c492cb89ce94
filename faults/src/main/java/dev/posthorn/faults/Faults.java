package dev.posthorn.faults;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.faults.attacks.Attacks;
import dev.posthorn.faults.attacks.Figures;
import dev.posthorn.faults.crash.CrashReport;
import dev.posthorn.faults.crash.Crashes;
import dev.posthorn.faults.harness.Servers;
import dev.posthorn.faults.hub.CrowdedHubs;
import dev.posthorn.faults.hub.HubKills;
import dev.posthorn.faults.hub.TwoHubs;
import dev.posthorn.faults.kill.Relays;
import dev.posthorn.faults.proof.RebalanceStorm;
import dev.posthorn.faults.replay.ReplayKills;
import dev.posthorn.faults.replay.ReplayReport;
import dev.posthorn.faults.steps.Halts;
import dev.posthorn.faults.steps.Sweep;
import dev.posthorn.faults.torture.Torture;
import dev.posthorn.subscription.AfterDeadLetter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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
    private static final int LEAST_HUB_KILLS = 10;
    private static final int SECONDS_FOR_A_KILL = 6;

    private static final Duration SLOWEST_LIVENESS = Duration.ofSeconds(1);

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

    @Command(
            mixinStandardHelpOptions = true,
            description = "Ends a relay between any two of its steps, each once, and lets another one go on.")
    int steps(@Option(names = "--quick", description = "only one kind of receiver, and fewer points") boolean quick) {
        return run(() -> {
            boolean clean = true;
            for (boolean keepsOrder : quick ? new boolean[] {false} : new boolean[] {false, true}) {
                for (AfterDeadLetter after : AfterDeadLetter.values()) {
                    try (Sweep sweep = new Sweep(Servers.newest(), keepsOrder, after)) {
                        Sweep.Report report = sweep.run(quick ? 2 : 1, quick ? 10 : 1);
                        System.out.println("steps: " + report);
                        clean &= report.isClean();
                    }
                }
            }
            try (Halts halts = new Halts(Servers.newest())) {
                Halts.Report report = halts.run();
                System.out.println("steps: " + report);
                return clean && report.isClean();
            }
        });
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Kills a hub and its PostgreSQL under load, and one of two hubs that share a PostgreSQL.")
    int hub(
            @Option(names = "--for", defaultValue = "60s", description = "e.g. 60s, 10m") Duration time,
            @Option(names = "--seed", defaultValue = "0", description = "0: a new one") long seed) {
        return run(() -> {
            boolean clean;
            try (HubKills kills = new HubKills(orAny(seed))) {
                HubKills.Report report = kills.run(LEAST_HUB_KILLS, time);
                System.out.println("hub: " + report);
                clean = report.isClean();
            }
            try (TwoHubs hubs = new TwoHubs(orAny(seed))) {
                TwoHubs.Report report = hubs.run();
                System.out.println("two hubs: " + report);
                return clean && report.isClean();
            }
        });
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Kills one of two hubs that share many subscriptions, while events come.")
    int crowd(
            @Option(
                            names = "--subscriptions",
                            paramLabel = "N",
                            defaultValue = "10000",
                            description = "with four lanes each (${DEFAULT-VALUE})")
                    int subscriptions,
            @Option(
                            names = "--thinking",
                            paramLabel = "N",
                            defaultValue = CrowdedHubs.USUAL_THINKING,
                            description = "publishers think so many times as long as would keep the whole machine busy"
                                    + " (${DEFAULT-VALUE})")
                    int thinking,
            @Option(names = "--seed", defaultValue = "0", description = "0: a new one") long seed) {
        return run(() -> {
            try (CrowdedHubs hubs = new CrowdedHubs(subscriptions, thinking, orAny(seed))) {
                CrowdedHubs.Report report = hubs.run();
                System.out.println("crowd: " + report);
                return report.isClean();
            }
        });
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Kills relay processes while dead letters are replayed at a rate and live events come.")
    int replay(
            @Option(names = "--letters", defaultValue = "20000", description = "dead letters") int letters,
            @Option(names = "--kills", defaultValue = "10", description = "at least so many") int kills,
            @Option(names = "--rate", defaultValue = "350", description = "of the replay, a second") double rate,
            @Option(names = "--live", defaultValue = "100", description = "events recorded a second") double live,
            @Option(
                            names = "--for",
                            defaultValue = "0s",
                            description = "more letters and kills, if they do not last so long")
                    Duration time,
            @Option(names = "--seed", defaultValue = "0", description = "0: a new one") long seed) {
        int lasting = (int) Math.max(letters, time.toSeconds() * rate);
        int often = (int) Math.max(kills, time.toSeconds() / SECONDS_FOR_A_KILL);
        return run(() -> {
            ReplayKills.Settings settings = new ReplayKills.Settings(lasting, often, rate, live, orAny(seed));
            try (ReplayKills replay = new ReplayKills(Servers.newest(), settings)) {
                ReplayReport report = replay.run();
                System.out.println("replay: " + report);
                return report.isClean();
            }
        });
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Members of a consumer group join, leave and are killed while events come.")
    int rebalance(
            @Option(names = "--records", defaultValue = "50000", description = "events") int records,
            @Option(names = "--members", defaultValue = "3", description = "at a time, at most") int members,
            @Option(names = "--for", defaultValue = "20s", description = "over which the events are recorded")
                    Duration time,
            @Option(names = "--seed", defaultValue = "0", description = "0: a new one") long seed) {
        return run(() -> {
            RebalanceStorm.Settings settings = new RebalanceStorm.Settings(records, members, time, orAny(seed));
            try (RebalanceStorm storm = new RebalanceStorm(Servers.newest(), Servers.kafka(), settings)) {
                RebalanceStorm.Report report = storm.run();
                System.out.println("rebalance: " + report);
                return report.isClean();
            }
        });
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Kills PostgreSQL under load; every second time a stand-by that lagged takes over.")
    int crash(
            @Option(names = "--times", defaultValue = "200", description = "crashes and failovers") int times,
            @Option(names = "--seed", defaultValue = "0", description = "0: a new one") long seed) {
        return run(() -> {
            try (Crashes crashes = new Crashes(Crashes.Settings.allKinds(times, orAny(seed)))) {
                CrashReport report = crashes.run(System.out::println);
                System.out.println("crash: " + report);
                report.missing().forEach(what -> System.out.println("proves little: no " + what));
                return report.isClean() && report.missing().isEmpty();
            }
        });
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Attacks a hub in a dozen ways, one after the other, and measures what others notice of it.")
    int attacks(
            @Option(names = "--for", defaultValue = "20s", description = "each; e.g. 20s, 5m") Duration time,
            @Option(
                            names = "--only",
                            completionCandidates = Attacks.Names.class,
                            description = "one of them instead of all: ${COMPLETION-CANDIDATES}")
                    @Nullable
                    String only) {
        if (only != null && !Attacks.names().contains(only)) {
            System.err.println("There is no attack " + only + ". The attacks are:\n" + Attacks.described());
            return CommandLine.ExitCode.USAGE;
        }
        return run(() -> {
            try (Attacks attacks = new Attacks(SLOWEST_LIVENESS)) {
                System.out.println(Figures.HEAD);
                List<Figures> all = attacks.run(
                        only == null ? Attacks.names() : List.of(only),
                        time,
                        figures -> System.out.println(figures.row()));
                all.forEach(each -> each.faults().forEach(what -> System.out.println(each.attack() + ": " + what)));
                return all.stream().allMatch(each -> each.faults().isEmpty());
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
