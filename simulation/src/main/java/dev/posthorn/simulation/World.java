package dev.posthorn.simulation;

import dev.posthorn.simulation.SimulatedInstance.Owner;
import dev.posthorn.simulation.Tables.EventRow;
import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Everything around the relay's own classes, on one thread, all of it drawn from one seed: time, writers, instances,
 * receivers. First faults happen, then all is well, and then every promise has to be kept.
 */
final class World {

    private static final long MILLI = 1_000_000;
    private static final long START_MICROS = 1_767_225_600_000_000L;
    private static final int TRACED = 50_000;

    /** After so many rounds without faults everything has to be over. */
    private static final int MOST_ROUNDS = 4000;

    private final SplittableRandom random;
    private final Scenario scenario;
    private final ModelDatabase database;
    private final History history;
    private final Checks checks;
    private final Writers writers;
    private final Operators operators;
    private final Wishes wishes;
    private final List<Receiver> receivers = new ArrayList<>();
    private final List<SimulatedInstance> instances = new ArrayList<>();
    private final PriorityQueue<Planned> agenda =
            new PriorityQueue<>(Comparator.comparingLong(Planned::at).thenComparingLong(Planned::number));
    private final @Nullable Deque<String> trace;
    private long nanos = 1_000_000_000;
    private long clockSteps;
    private long databaseAwayUntil;
    private long databaseStarts = 1;
    private long planned;
    private int started;
    private boolean quiet;
    private boolean standstill;
    private @Nullable Owner owner;
    private long stepBegan;

    /** Something that happens at a time. */
    private record Planned(long at, long number, Runnable what) {}

    World(long seed, boolean traced) {
        this.random = new SplittableRandom(seed);
        this.scenario = new Scenario(random.split());
        this.trace = traced ? new ArrayDeque<>() : null;
        this.database = new ModelDatabase(() -> START_MICROS + nanos / 1000 + clockSteps);
        this.database.refuses = scenario::isRefused;
        this.history = new History(this, database, scenario);
        this.checks = new Checks(database, history, scenario);
        this.writers = new Writers(this, database, scenario.events);
        this.operators = new Operators(this, database);
        this.wishes = new Wishes(this, database);
        for (int i = 0; i < scenario.subscriptions.size(); i++) {
            receivers.add(new Receiver(this, history, scenario.subscriptions.get(i), i));
        }
    }

    // ---- the run

    /** Throws {@link Simulation.BrokenPromise} if one is. */
    void run() {
        for (int i = below(10); i > 0; i--) {
            writers.act();
        }
        for (int i = 0; i < scenario.instances; i++) {
            start();
        }
        for (int i = 0; i < scenario.steps; i++) {
            act();
            forgetGone();
        }
        calmDown();
        finish();
        if (scenario.ordeal) {
            Ordeal ordeal = new Ordeal(this, database, history, scenario, writers);
            ordeal.someKeysFail(receivers);
            finish();
            ordeal.everythingFails(receivers);
            finish();
        }
        rest();
        for (int i = between(0, 6); i > 0; i--) {
            writers.write("k" + below(scenario.keys));
            quietFor(between(1, 300));
        }
        finish();
        rest();
        checks.atTheEnd();
    }

    /** Nothing is left to do. */
    private void rest() {
        Rest rest = new Rest(this, database, scenario);
        for (int round = 0; rest.missing() != null; round++) {
            if (round > MOST_ROUNDS / 10) {
                throw new Simulation.BrokenPromise("does not come to rest, though nothing is wrong any more: "
                        + Objects.requireNonNull(rest.missing()).get());
            }
            quietFor(200);
            finish();
        }
    }

    private void finish() {
        Supplier<String> left = unfinished();
        for (int round = 0; left != null || !writers.isDone(); round++) {
            if (round > MOST_ROUNDS) {
                throw new Simulation.BrokenPromise(
                        "no progress, though nothing is wrong any more: " + (left == null ? null : left.get()));
            }
            quietRound(round);
            forgetGone();
            left = unfinished();
        }
    }

    /** So many milliseconds without faults, but for those of receivers. */
    void quietFor(long millis) {
        long until = nanos + millis * MILLI;
        while (nanos - until < 0) {
            quietRound(0);
            forgetGone();
        }
    }

    private @Nullable Supplier<String> unfinished() {
        Supplier<String> wish = wishes.unfinished();
        return wish == null ? checks.unfinished() : wish;
    }

    private void act() {
        int choice = below(100);
        if (choice < 30) {
            stepOne();
        } else if (choice < 58) {
            passTime();
        } else if (choice < 80) {
            writers.act();
        } else if (choice < 83) {
            checks.statuses();
            history.replays().checkAccounts();
        } else {
            disturb();
        }
    }

    private void stepOne() {
        List<SimulatedInstance> awake =
                instances.stream().filter(SimulatedInstance::isAwake).toList();
        if (awake.isEmpty()) {
            start();
        } else {
            awake.get(below(awake.size())).step();
        }
    }

    private void passTime() {
        int choice = below(20);
        advance(choice < 13 ? between(1, 30) : choice < 19 ? between(30, 500) : between(500, 2500));
        for (SimulatedInstance instance : List.copyOf(instances)) {
            if (instance.isAwake() && instance.isPassDue() && chance(0.9)) {
                instance.pass();
            }
        }
    }

    private void disturb() {
        if (chance(0.05 * scenario.replay)) {
            ask(operators::replay);
        } else if (chance(0.05 * scenario.crash)) {
            withAny(instance -> {
                trace(() -> instance.name + " crashes");
                instance.end(between(0, 30) * MILLI);
            });
        } else if (chance(0.05 * scenario.freeze)) {
            withAny(instance -> {
                long until = nanos + between(500, 12_000) * MILLI;
                trace(() -> instance.name + " freezes until " + until / MILLI);
                instance.freeze(until);
            });
        } else if (chance(0.05 * scenario.freeze)) {
            withAny(instance -> {
                long until = nanos + between(500, 8000) * MILLI;
                trace(() -> instance.name + " renews nothing until " + until / MILLI);
                instance.delayPass(until);
            });
        } else if (chance(0.05 * scenario.stop)) {
            withAny(instance -> {
                trace(() -> instance.name + " is told to stop");
                instance.stop(between(100, 8000) * MILLI);
            });
        } else if (chance(0.05 * scenario.outage)) {
            receivers.get(below(receivers.size())).beginOutage(nanos + between(100, 15_000) * MILLI);
        } else if (chance(0.05 * scenario.clockStep)) {
            stepClock();
        } else if (chance(0.05 * scenario.databaseAway)) {
            databaseAwayUntil = nanos + between(10, 6000) * MILLI;
        } else if (chance(0.05 * scenario.databaseCrash)) {
            crashDatabase();
        } else if (chance(0.05 * scenario.failOver)) {
            leaveBehindOrFailOver();
        } else if (chance(0.05 * scenario.pause)) {
            ask(operators::pauseOrResume);
        } else if (chance(0.05 * scenario.change)) {
            wishes.change();
        } else if (chance(0.05 * scenario.command)) {
            ask(operators::command);
        } else if (chance(0.02 * scenario.letGo)) {
            ask(operators::letGo);
        } else if (instances.size() < scenario.instances && chance(0.3)) {
            start();
        }
    }

    /** People wait until the disk and the stand-by have what they did. */
    private void ask(Runnable action) {
        action.run();
        database.replicate();
    }

    private void withAny(java.util.function.Consumer<SimulatedInstance> action) {
        List<SimulatedInstance> some = instances.stream()
                .filter(instance -> !instance.isStopping() && !instance.isPassing())
                .toList();
        if (!some.isEmpty()) {
            action.accept(some.get(below(some.size())));
        }
    }

    private void crashDatabase() {
        lose("the database crashes", database.crash());
    }

    private void leaveBehindOrFailOver() {
        if (database.hasStandby() && chance(0.7)) {
            lose("a stand-by is promoted", database.failOver());
            history.failedOver();
        } else {
            trace(() -> "a stand-by falls behind");
            database.leaveStandbyBehind();
            history.remember();
        }
    }

    private void lose(String what, List<EventRow> lost) {
        databaseStarts++;
        databaseAwayUntil = nanos + between(0, 2000) * MILLI;
        trace(() -> what + " and takes back " + lost.stream().map(EventRow::seq).toList());
        writers.crashed();
        history.lost(lost);
        receivers.forEach(receiver -> receiver.forget(lost));
        // Applications may be back before the relays.
        for (int i = below(10); i > 0; i--) {
            writers.act();
        }
    }

    private void stepClock() {
        long step = scenario.wildClock ? between(-5000, 5000) * 1000L : between(-400, 400) * 1000L;
        // A lease leaves a second unused: a clock that steps no further forward takes nothing from whoever trusts it.
        if (scenario.wildClock || Math.abs(clockSteps + step) <= 400_000) {
            clockSteps += step;
            trace(() -> "the database's clock steps by " + step / 1000 + " ms");
        }
    }

    /** The others go on while one stands still in the middle of something. */
    void meanwhile() {
        if (!standstill && chance(scenario.standstill)) {
            standstill = true;
            noteGenerations();
            for (int i = between(1, 60); i > 0; i--) {
                act();
                forgetGone();
            }
            standstill = false;
        }
    }

    void start() {
        String name = "i" + ++started;
        trace(() -> name + " starts");
        SimulatedInstance instance = new SimulatedInstance(this, name);
        instances.add(instance);
        instance.pass();
    }

    private void forgetGone() {
        instances.removeIf(instance -> {
            if (instance.isGone()) {
                history.gone(instance);
            }
            return instance.isGone();
        });
    }

    // ---- when all is well

    private void calmDown() {
        quiet = true;
        trace(() -> "all is well from now on");
        databaseAwayUntil = 0;
        for (int i = 0; i < receivers.size(); i++) {
            receivers.get(i).endOutage();
            if (scenario.subscriptions.get(i).retry.maxAttempts() == RetryPolicy.UNLIMITED) {
                receivers.get(i).killers.clear();
            }
        }
        instances.forEach(instance -> instance.freeze(0));
        instances.forEach(SimulatedInstance::serveAnew);
        operators.resumeAll();
    }

    private void quietRound(int round) {
        if (areAllStopping()) {
            start();
        }
        if (!writers.isDone()) {
            writers.act();
        }
        for (SimulatedInstance instance : List.copyOf(instances)) {
            if (instance.isPassDue()) {
                instance.pass();
            }
            instance.step();
        }
        if (round % 50 == 49) {
            // A lane that was told to pause before may only have done so now.
            operators.resumeAll();
            operators.tidyUp();
        }
        Planned next = agenda.peek();
        long pause = next == null ? 200 * MILLI : Math.min(200 * MILLI, Math.max(MILLI, next.at - nanos));
        advanceTo(nanos + pause);
    }

    private boolean areAllStopping() {
        for (SimulatedInstance instance : instances) {
            if (!instance.isStopping()) {
                return false;
            }
        }
        return true;
    }

    // ---- time

    long nanos() {
        return nanos;
    }

    private void advance(long millis) {
        advanceTo(nanos + millis * MILLI + below((int) MILLI));
    }

    private void advanceTo(long time) {
        for (Planned next = agenda.peek(); next != null && next.at <= time; next = agenda.peek()) {
            agenda.remove();
            nanos = Math.max(nanos, next.at);
            next.what.run();
        }
        nanos = Math.max(nanos, time);
    }

    /** Time passes in the middle of something; what is due meanwhile happens after it. */
    void passTime(long millis) {
        nanos += millis * MILLI;
    }

    void at(long time, Runnable what) {
        agenda.add(new Planned(time, planned++, what));
    }

    void after(long millis, Runnable what) {
        at(nanos + millis * MILLI, what);
    }

    // ---- chance

    boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    int between(int least, int most) {
        return random.nextInt(least, most + 1);
    }

    // ---- what the others see

    boolean isQuiet() {
        return quiet;
    }

    boolean isDatabaseAway() {
        return nanos < databaseAwayUntil;
    }

    /** How often the database was started. */
    long databaseStarts() {
        return databaseStarts;
    }

    Scenario scenario() {
        return scenario;
    }

    ModelDatabase database() {
        return database;
    }

    History history() {
        return history;
    }

    Wishes wishes() {
        return wishes;
    }

    List<SimulatedInstance> instances() {
        return List.copyOf(instances);
    }

    void noteGenerations() {
        history.noteGenerations();
        wishes.check();
    }

    void wrote(EventRow row) {
        for (Receiver receiver : receivers) {
            if (chance(scenario.poison)) {
                receiver.poison.add(row.seq());
            } else if (!quiet && chance(scenario.killer)) {
                receiver.killers.add(row.seq());
            }
        }
    }

    List<Subscription> subscriptions(Function<Receiver, Sink> sink) {
        List<Subscription> all = new ArrayList<>();
        for (int i = 0; i < receivers.size(); i++) {
            all.add(scenario.subscriptions.get(i).subscription(sink.apply(receivers.get(i)), START_MICROS + 1_000_000));
        }
        return all;
    }

    /** The lane that is being stepped. */
    Owner owner() {
        return Objects.requireNonNull(owner);
    }

    void enter(Owner stepped) {
        owner = stepped;
        stepBegan = nanos;
    }

    long stepBegan() {
        return stepBegan;
    }

    void leave() {
        owner = null;
    }

    void trace(Supplier<String> what) {
        if (trace != null) {
            trace.add(nanos / MILLI + " " + what.get());
            if (trace.size() > TRACED) {
                trace.remove();
            }
        }
    }

    List<String> traced() {
        return trace == null ? List.of() : List.copyOf(trace);
    }
}
