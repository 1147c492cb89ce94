package dev.posthorn.simulation;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.simulation.Tables.EventRow;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The other end of a subscription, and the way to it. Either kind keeps its contract: a channel that keeps the order
 * delivers in order, nothing after a failure and nothing after it was closed. A request to a receiver that takes one at
 * a time may be on the wire when the channel is closed, and arrive.
 */
final class Receiver {

    /** What is wrong while the receiver is away. */
    private enum Outage {
        REFUSES,
        HANGS,
        FAILS
    }

    private enum Fate {
        TAKEN,
        TAKEN_ANSWERED_TWICE,
        TAKEN_ANSWER_LOST,
        TAKEN_ANSWERED_LATE,
        LOST,
        FAILS,
        REFUSED
    }

    private final World world;
    private final History history;
    private final Scenario.Settings settings;
    private final int index;
    private @Nullable Outage outage;
    private long outageUntil;
    private @Nullable Predicate<RecordedEvent> spoilt;
    private boolean spoiltHang;

    /** Events that it will never take, and events whose sending ends the process. */
    final Set<Long> poison = new HashSet<>();

    final Set<Long> killers = new HashSet<>();

    Receiver(World world, History history, Scenario.Settings settings, int index) {
        this.world = world;
        this.history = history;
        this.settings = settings;
        this.index = index;
    }

    /** These never were; their numbers go to others. */
    void forget(List<EventRow> lost) {
        lost.forEach(row -> {
            poison.remove(row.seq());
            killers.remove(row.seq());
        });
    }

    void beginOutage(long until) {
        outage = Outage.values()[world.below(Outage.values().length)];
        outageUntil = until;
        world.trace(() -> settings.name + ": outage, " + outage);
    }

    void endOutage() {
        outage = null;
    }

    /** From now on it does not take these events: it answers that it failed, or nothing. */
    void spoil(Predicate<RecordedEvent> events, boolean hang) {
        spoilt = events;
        spoiltHang = hang;
    }

    void heal() {
        spoilt = null;
    }

    private boolean isSpoilt(RecordedEvent event) {
        return spoilt != null && spoilt.test(event);
    }

    private @Nullable Outage outage() {
        if (outage != null && world.nanos() >= outageUntil) {
            outage = null;
        }
        return outage;
    }

    /** As one instance sees it. */
    Sink sink(SimulatedInstance instance) {
        return new Sink() {
            @Override
            public boolean keepsOrder() {
                return settings.keepsOrder;
            }

            @Override
            public int concurrency() {
                return settings.concurrency;
            }

            @Override
            public Channel open(String lane, Duration timeout) {
                return new Wire(instance, world.owner());
            }
        };
    }

    /** One event on its way. */
    final class Shipment {
        final Wire wire;
        final RecordedEvent event;
        final long sentAt = world.nanos();
        private final Answer answer;
        private final Fate fate;

        Shipment(Wire wire, RecordedEvent event, Answer answer) {
            this.wire = wire;
            this.event = event;
            this.answer = answer;
            Fate[] all = Fate.values();
            this.fate = world.chance(world.scenario().flaky) && !world.isQuiet()
                    ? all[world.below(all.length)]
                    : Fate.TAKEN;
        }

        private void arrive() {
            if (wire.isCut()) {
                return;
            }
            if (settings.keepsOrder && wire.broken) {
                answer(new Outcome.Unavailable("behind a failed event"), 0);
                return;
            }
            if (settings.keepsOrder && wire.silent) {
                return;
            }
            Outage away = outage();
            if (isSpoilt(event)) {
                fail(spoiltHang ? null : retry());
            } else if (away != null) {
                fail(away == Outage.HANGS ? null : away == Outage.REFUSES ? unavailable() : retry());
            } else if (poison.contains(event.seq())) {
                fail(new Outcome.Reject(ErrorClass.INVALID, "poison"));
            } else if (fate != Fate.TAKEN && world.chance(world.isQuiet() ? 0 : world.scenario().gone)) {
                fail(new Outcome.Gone("gone", null));
            } else if (fate == Fate.FAILS) {
                fail(retry());
            } else if (fate == Fate.REFUSED) {
                fail(unavailable());
            } else if (fate == Fate.LOST) {
                fail(null);
            } else {
                history.arrived(index, event);
                acknowledge();
            }
        }

        private void acknowledge() {
            if (fate == Fate.TAKEN_ANSWERED_LATE) {
                answer(Outcome.DELIVERED, settings.timeout.toMillis() + world.between(1, 2000));
            } else if (fate != Fate.TAKEN_ANSWER_LOST) {
                answer(Outcome.DELIVERED, world.between(0, 5));
                if (fate == Fate.TAKEN_ANSWERED_TWICE) {
                    answer(world.chance(0.5) ? Outcome.DELIVERED : retry(), world.between(0, 50));
                }
            }
        }

        private void fail(Outcome.@Nullable Failure failure) {
            if (failure == null) {
                wire.silent = true;
            } else {
                wire.broken = true;
                answer(failure, 0);
            }
        }

        private void answer(Outcome outcome, long millis) {
            world.after(millis, () -> {
                if (!wire.instance.isGone()) {
                    world.trace(() -> "  " + settings.name + " answers " + event.seq() + " " + outcome);
                    history.answered(this, outcome);
                    answer.with(outcome);
                }
            });
        }

        private Outcome.Failure unavailable() {
            return new Outcome.Unavailable("away");
        }

        private Outcome.Failure retry() {
            Duration after = world.chance(0.2) ? Duration.ofMillis(world.between(0, 4000)) : null;
            return new Outcome.Retry(ErrorClass.SERVER_ERROR, "not now", after, null);
        }
    }

    /** A lane's way to the receiver. */
    final class Wire implements Channel {
        final SimulatedInstance instance;
        final SimulatedInstance.Owner owner;
        private boolean broken;
        private boolean silent;
        private boolean closed;
        private long lastArrival;

        Wire(SimulatedInstance instance, SimulatedInstance.Owner owner) {
            this.instance = instance;
            this.owner = owner;
        }

        boolean isClosed() {
            return closed;
        }

        @Override
        public void send(RecordedEvent event, int attempt, Answer answer) {
            world.trace(() -> "  " + owner + " sends " + event.seq() + " of "
                    + event.event().key());
            if (closed) {
                throw new Simulation.BrokenPromise(owner + " sent through a closed channel");
            }
            Shipment shipment = new Shipment(this, event, answer);
            history.sent(index, shipment);
            if (killers.contains(event.seq())) {
                history.killed(index, event);
                throw new SimulatedInstance.Crash("sending event " + event.seq());
            }
            if (world.chance(world.isQuiet() ? 0 : world.scenario().flaky / 20)) {
                broken = true;
                // It never left, and the lane takes the exception for its answer.
                history.answered(shipment, new Outcome.Retry(ErrorClass.UNKNOWN, "a bug in the sink"));
                world.trace(() -> "  " + settings.name + " throws at " + event.seq());
                throw new IllegalStateException("a bug in the sink");
            }
            long arrival = world.nanos() + latency() * 1_000_000L;
            if (settings.keepsOrder) {
                arrival = Math.max(arrival, lastArrival);
                lastArrival = arrival;
            }
            world.at(arrival, shipment::arrive);
        }

        private long latency() {
            return world.chance(0.1) ? world.between(20, 800) : world.between(0, 20);
        }

        /** What was on the wire when the process ended, or the channel was closed, may be lost. */
        private boolean isCut() {
            if (settings.keepsOrder) {
                return closed || (instance.isGone() && world.nanos() > instance.goneSince() + instance.lastWords());
            }
            return (closed || instance.isGone()) && world.chance(0.3);
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
