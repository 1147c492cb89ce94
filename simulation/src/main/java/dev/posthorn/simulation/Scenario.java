package dev.posthorn.simulation;

import dev.posthorn.log.Filter;
import dev.posthorn.relay.front.FrontPorts;
import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.KeepAttempts;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.subscription.WhenUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What one seed is about: the settings of its subscriptions, how much is written, and which faults there are and how
 * often. Not every fault in every seed: some mistakes show only where nothing else disturbs.
 */
final class Scenario {

    private static final List<Filter> FILTERS = List.of(
            Filter.ALL,
            Filter.types("a.*"),
            Filter.types("*.x"),
            Filter.types("b.*", "a.y"),
            Filter.ALL.header("tenant", "1"),
            Filter.types("a.*").header("tenant", "2"));

    final SplittableRandom random;
    final List<Settings> subscriptions = new ArrayList<>();
    final int steps;
    final int events;
    final int keys;
    final int instances;

    final double databaseTrouble;
    final double crashInCall;
    final double slowCall;
    final double lateSettle;

    /** How often a lease keeper loses its connection, and what it had asked for is done later. */
    final double lateCall;

    final Duration sessionTtl;

    /** How many connections with lanes each instance has. */
    final int crews;

    /** How much a front does at a time. */
    final FrontPorts.Portions portions;

    final double crash;
    final double freeze;
    final double stop;
    final double outage;
    final double clockStep;
    final double pause;
    final double change;
    final double command;
    final double replay;
    final double letGo;
    final double databaseAway;
    final double databaseCrash;

    /** How often a stand-by falls behind, or is promoted. */
    final double failOver;

    /** The part of commits that do not wait for the disk. */
    final double asynchronous;

    /** The part of sends that the receiver does not simply take. */
    final double flaky;

    /** The part of these that say so that the subscription is paused. */
    final double gone;

    final double poison;
    final double killer;
    final double deferred;
    final double rollback;

    /** The part of events of which the database refuses a delivery row. */
    final double refused;
    /** How often an instance stands still between two calls of its lease keeper, while the others go on. */
    final double standstill;

    /** Whether the settings come from documents with revisions, as in a hub. */
    final boolean documents;

    /** Whether keys, and then everything, fail once all else is well. */
    final boolean ordeal;

    /** How many deliveries an instance has under way at most, of all subscriptions together. */
    final int deliveries;

    /** Whether the database's clock may step by more than what a lease leaves unused. */
    final boolean wildClock;

    Scenario(SplittableRandom random) {
        this.random = random;
        int count = oneIn(3) ? between(2, 3) : 1;
        for (int i = 0; i < count; i++) {
            subscriptions.add(new Settings("s" + i));
        }
        steps = between(150, 600);
        events = between(15, 60);
        keys = between(1, 5);
        instances = between(1, 3);
        databaseTrouble = perhaps(0.02);
        crashInCall = perhaps(0.002);
        slowCall = perhaps(0.01);
        lateSettle = perhaps(0.01);
        crash = perhaps(1.5);
        freeze = perhaps(1.5);
        stop = perhaps(1);
        outage = perhaps(2);
        clockStep = perhaps(2);
        pause = perhaps(1);
        change = oneIn(6) ? 15 : perhaps(2);
        command = perhaps(8);
        letGo = oneIn(12) ? 1 : 0;
        databaseAway = perhaps(1);
        databaseCrash = perhaps(2);
        asynchronous = perhaps(0.6);
        flaky = perhaps(0.3);
        poison = perhaps(0.1);
        killer = oneIn(6) ? 0.05 : 0;
        deferred = perhaps(0.15);
        rollback = perhaps(0.2);
        wildClock = oneIn(4);
        gone = oneIn(6) ? 0.1 : 0;
        replay = perhaps(20);
        standstill = perhaps(0.015);
        documents = random.nextBoolean();
        for (Settings settings : subscriptions) {
            settings.ratePerSecond = oneIn(4) ? between(5, 100) : Subscription.UNLIMITED;
            settings.revision = documents ? 1 : 0;
        }
        refused = oneIn(6) ? 0.1 : 0;
        ordeal = oneIn(3);
        failOver = oneIn(3) ? 8 * random.nextDouble() : 0;
        lateCall = perhaps(0.02);
        crews = between(1, 2);
        portions = oneIn(2) ? fewAtATime() : new FrontPorts.Portions(1000, 1 << 20, 1000, 1000, 10_000);
        sessionTtl = subscriptions.stream()
                .map(settings -> settings.ttl)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        deliveries = !ordeal && oneIn(3) ? between(1, 6) : 1000;
    }

    /** Always the same of one event, whoever asks and whenever. */
    boolean isRefused(long seq) {
        return ((seq * 0x9E3779B97F4A7C15L) >>> 32) % 1000 < 1000 * refused;
    }

    private FrontPorts.Portions fewAtATime() {
        int events = between(1, 12);
        int bytes = between(300, 3000);
        int lanes = between(1, 3);
        int inHand = between(1, 20);
        return new FrontPorts.Portions(events, bytes, lanes, inHand, 2 * inHand);
    }

    private double perhaps(double most) {
        return random.nextBoolean() ? most * random.nextDouble() : 0;
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    private int between(int least, int most) {
        return random.nextInt(least, most + 1);
    }

    private Duration millis(int least, int most) {
        return Duration.ofMillis(between(least, most));
    }

    /** The settings of one subscription; the filter and the number of lanes change while it lives. */
    final class Settings {
        final String name;
        final boolean keepsOrder = random.nextBoolean();
        final RetryPolicy retry = retry();
        final Duration timeout = millis(300, 2000);

        /** For which a session that serves it is long enough. */
        final Duration ttl = timeout.multipliedBy(2).plusSeconds(1).plus(millis(0, 5000));

        final int inFlightLimit = oneIn(4) ? between(1, 3) : between(3, 30);
        final long inFlightBytes = oneIn(4) ? between(300, 3000) : 1 << 20;
        final int batchSize = between(1, 12);
        final Duration pollMost = millis(5, 500);
        final Duration pollLeast = oneIn(3) ? millis(1, (int) pollMost.toMillis()) : Duration.ofMillis(1);
        final AfterDeadLetter afterDeadLetter = oneIn(2) ? AfterDeadLetter.HOLD : AfterDeadLetter.CONTINUE;
        final WhenUnavailable whenUnavailable = oneIn(2) ? WhenUnavailable.WAIT : WhenUnavailable.COUNT;
        final int breakerAfter = between(1, 6);
        final int blockedKeysLimit = oneIn(3) ? between(1, 3) : 10_000;
        final KeepAttempts keepAttempts = oneIn(2) ? KeepAttempts.ALL : KeepAttempts.FAILED;

        double ratePerSecond = Subscription.UNLIMITED;

        final int concurrency = oneIn(3) ? between(1, 3) : Integer.MAX_VALUE;

        /** How many seconds after the beginning it starts; from the beginning of the log if zero, from now if less. */
        final int since = between(-2, 2);

        Filter filter = anyFilter();
        int lanes = between(1, 3);
        long revision;
        private Filter formerFilter = filter;
        private int formerLanes = lanes;

        Settings(String name) {
            this.name = name;
        }

        private RetryPolicy retry() {
            List<Duration> delays = new ArrayList<>();
            for (int i = between(1, 3); i > 0; i--) {
                delays.add(millis(0, 3000));
            }
            int most = oneIn(5) ? RetryPolicy.UNLIMITED : between(1, 4);
            return new RetryPolicy(delays, most, oneIn(2) ? 0 : 0.2, Duration.ofSeconds(5));
        }

        private Filter anyFilter() {
            return oneIn(2) ? Filter.ALL : FILTERS.get(random.nextInt(FILTERS.size()));
        }

        /** From now on instances start with another filter or number of lanes, or with those from before. */
        void change() {
            Filter oldFilter = filter;
            int oldLanes = lanes;
            int choice = random.nextInt(4);
            filter = choice == 0 ? anyFilter() : choice == 1 ? filter : formerFilter;
            lanes = choice == 0 ? lanes : choice == 1 ? between(1, 4) : formerLanes;
            formerFilter = oldFilter;
            formerLanes = oldLanes;
            revision += documents ? 1 : 0;
        }

        Subscription subscription(Sink sink, long startMicros) {
            Subscription.Builder builder = Subscription.to(name, sink)
                    .filter(filter)
                    .lanes(lanes)
                    .retry(retry)
                    .timeout(timeout)
                    .inFlightLimit(inFlightLimit)
                    .inFlightBytes(inFlightBytes)
                    .batchSize(batchSize)
                    .pollInterval(pollLeast, pollMost)
                    .afterDeadLetter(afterDeadLetter)
                    .whenUnavailable(whenUnavailable)
                    .breakerAfter(breakerAfter)
                    .blockedKeysLimit(blockedKeysLimit)
                    .keepAttempts(keepAttempts)
                    .ratePerSecond(ratePerSecond)
                    .revision(revision);
            if (since > 0) {
                builder.from(ModelDatabase.instant(startMicros + since * 100_000L));
            } else if (since == 0) {
                builder.fromBeginning();
            }
            return builder.build();
        }
    }
}
