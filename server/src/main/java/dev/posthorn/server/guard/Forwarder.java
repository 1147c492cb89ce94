package dev.posthorn.server.guard;

import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.server.ingest.Digest;
import dev.posthorn.server.masking.Masker;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards each event once. First a row is committed that says so, then the request leaves, then the row is told what
 * became of it. Whatever ends in between leaves a row behind that keeps everybody from sending a second request.
 */
final class Forwarder implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Forwarder.class);

    private static final int THREADS = 6;

    /** A process that stood still for so long after its claim does not send any more. */
    private static final Duration PROMPT = Duration.ofSeconds(2);

    /** On top of the target's time: being prompt, the look at the clock, and telling the result. */
    static final Duration MARGIN = Duration.ofSeconds(5);

    private static final Duration FAREWELL = Duration.ofSeconds(3);
    private static final Duration STEP = Duration.ofMillis(25);
    private static final int TELLINGS = 5;
    private static final Duration BETWEEN_TELLINGS = Duration.ofMillis(200);

    private final GuardKeeper guards;
    private final ForwardStore store;
    private final Masker masker;
    private final AtomicInteger threads = new AtomicInteger();
    private final ExecutorService workers = Executors.newFixedThreadPool(THREADS, this::thread);
    private final Set<Flight> flights = ConcurrentHashMap.newKeySet();

    Forwarder(GuardKeeper guards, ForwardStore store, Masker masker) {
        this.guards = guards;
        this.store = store;
        this.masker = masker;
    }

    private Thread thread(Runnable work) {
        Thread thread = new Thread(work, "posthorn-guard-" + threads.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Forwards it, or tells what became of it before. Never blocks; answers on another thread, and not at all once closed.
     *
     * @param atMost how long whoever asks lets the target take; the guard's own time if that is shorter
     * @param wanted whether anybody still asks: a request that has left is seen through all the same
     */
    void forward(
            String guard, RecordedEvent event, Duration atMost, BooleanSupplier wanted, Consumer<Verdict> verdict) {
        try {
            workers.execute(() -> begin(guard, event, atMost, wanted, verdict));
        } catch (RejectedExecutionException closed) {
            log.debug(
                    "Event {} came to guard {} when the hub was being stopped",
                    event.event().id(),
                    guard);
        }
    }

    private void begin(
            String guard, RecordedEvent event, Duration atMost, BooleanSupplier wanted, Consumer<Verdict> verdict) {
        if (!wanted.getAsBoolean()) {
            return;
        }
        GuardKeeper.Served served = guards.served(guard);
        Target target = served == null ? null : served.target();
        if (target == null) {
            String why = served == null ? "there is no such guard" : String.valueOf(served.trouble());
            verdict.accept(unavailable("guard '" + guard + "' cannot forward: " + why));
            return;
        }
        Duration timeout = atMost.compareTo(target.timeout()) < 0 ? atMost : target.timeout();
        Flight flight = new Flight(guard, target, event, timeout, verdict);
        Verdict known = claim(flight);
        if (known != null) {
            verdict.accept(known);
        } else if (!wanted.getAsBoolean() || flight.age() > PROMPT.toNanos()) {
            end(flight, Result.free(new Outcome.Unavailable(ErrorClass.UNKNOWN, "it was not sent in time")));
        } else {
            flight.send();
        }
    }

    private static Verdict unavailable(String why) {
        return new Verdict.NotForwarded(new Outcome.Unavailable(ErrorClass.UNKNOWN, why));
    }

    /** Whether it came before, be it as it may. */
    boolean isKnown(String guard, Event event) {
        return store.find(guard, event.id().toString(), event.source()).isPresent();
    }

    /** Null if it is this flight's to send. */
    private @Nullable Verdict claim(Flight flight) {
        Event event = flight.event.event();
        try {
            ForwardStore.Claim claim = store.claim(flight.guard, event, digest(event), flight.timeout.plus(MARGIN));
            if (claim instanceof ForwardStore.Claim.Known known) {
                return Verdict.of(known.forward());
            }
            flight.attempt = ((ForwardStore.Claim.Mine) claim).attempt();
            return null;
        } catch (PosthornException | IllegalStateException e) {
            log.debug("Guard {}: event {} could not be claimed", flight.guard, event.id(), e);
            return unavailable("guard '" + flight.guard + "' cannot write down that it forwards: " + e.getMessage());
        }
    }

    /** Times are left out, as the log adds those that an event lacks. */
    private static byte[] digest(Event event) {
        return new Digest()
                .of(new Event(
                        event.id(),
                        event.sourceId(),
                        event.source(),
                        event.type(),
                        event.version(),
                        event.aggregateType(),
                        event.key(),
                        event.contentType(),
                        event.payload(),
                        event.headers(),
                        null,
                        null));
    }

    /** Remembers the result and tells it. */
    private void end(Flight flight, Result result) {
        if (!flight.ended.compareAndSet(false, true)) {
            return;
        }
        UnaryOperator<String> hidden = hidden(flight.event.event());
        boolean told = tell(flight, result, hidden);
        flights.remove(flight);
        if (!told) {
            log.warn(
                    "Guard {}: what became of event {} ({}) could not be remembered; an operator will be asked",
                    flight.guard,
                    flight.event.event().id(),
                    result.state());
        }
        flight.verdict.accept(Verdict.of(result, result.reply(hidden)));
    }

    /** It is read by those who may not see the payload, long after anybody can tell what was an echo of it. */
    private UnaryOperator<String> hidden(Event event) {
        try {
            return masker.mask(event).echoes()::hiddenIn;
        } catch (RuntimeException e) {
            log.warn("Event {}: what the target said could not be masked, so it is not told", event.id(), e);
            return text -> "";
        }
    }

    private boolean tell(Flight flight, Result result, UnaryOperator<String> hidden) {
        for (int i = 0; i < TELLINGS; i++) {
            try {
                store.settle(flight.guard, flight.event.event().id(), flight.attempt, result, hidden);
                return true;
            } catch (PosthornException e) {
                log.debug("Guard {}: a result could not be written; trying again", flight.guard, e);
                if (!pause(BETWEEN_TELLINGS)) {
                    return false;
                }
            }
        }
        return false;
    }

    private static boolean pause(Duration duration) {
        try {
            Thread.sleep(duration.toMillis());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Lets what is on its way arrive, for a moment; what has not by then is in doubt. */
    @Override
    public void close() {
        long giveUpAt = System.nanoTime() + FAREWELL.toNanos();
        while (!flights.isEmpty() && System.nanoTime() < giveUpAt && pause(STEP)) {
            // Flights end by themselves.
        }
        for (Flight flight : flights) {
            flight.close();
            end(
                    flight,
                    Result.inDoubt(new Outcome.Retry(
                            ErrorClass.DISCONNECTED, "the hub was stopped while it waited for the answer")));
        }
        workers.shutdown();
    }

    /** An event on its way to a target. */
    private final class Flight {

        private final String guard;
        private final Target target;
        private final RecordedEvent event;
        private final Duration timeout;
        private final Consumer<Verdict> verdict;
        private final long begun = System.nanoTime();
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile int attempt;
        private volatile @Nullable Channel channel;

        Flight(String guard, Target target, RecordedEvent event, Duration timeout, Consumer<Verdict> verdict) {
            this.guard = guard;
            this.target = target;
            this.event = event;
            this.timeout = timeout;
            this.verdict = verdict;
        }

        long age() {
            return System.nanoTime() - begun;
        }

        void send() {
            Channel opened = target.open(timeout);
            channel = opened;
            flights.add(this);
            opened.send(event, attempt, this::landed);
            opened.flush();
        }

        /** Not on the sink's own thread, which others wait for. */
        private void landed(Outcome outcome) {
            Result result = Result.of(outcome, target);
            try {
                workers.execute(() -> {
                    end(this, result);
                    close();
                });
            } catch (RejectedExecutionException closed) {
                log.debug("Guard {}: an answer came when the hub was being stopped", guard);
            }
        }

        void close() {
            Channel opened = channel;
            if (opened != null) {
                opened.close();
            }
        }
    }
}
