package dev.posthorn.faults.delivery;

import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.ReceivedLine;
import dev.posthorn.faults.harness.ReceivedRequest;
import dev.posthorn.faults.harness.Tally;
import dev.posthorn.testkit.Listener;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where the relay processes deliver to. Notes every arrival in order and answers it a few milliseconds later, so that
 * events really are in flight.
 */
public final class Receiver implements AutoCloseable {

    private static final int SLOWEST_ANSWER_MICROS = 5_000;

    private final Listener sockets;
    private final Listener http;
    private final ScheduledExecutorService answers = Executors.newScheduledThreadPool(1, Listener::daemon);
    private final SplittableRandom random;
    private final SplittableRandom treatments;
    private final Tally tally;
    private final Map<String, Account> accounts = new HashMap<>();
    private final Set<Arrival> inFlight = new HashSet<>();
    private final Map<String, Integer> received = new HashMap<>();
    private final Map<String, Integer> thawed = new HashMap<>();

    public Receiver(long seed, Tally tally) throws IOException {
        this.random = new SplittableRandom(seed);
        this.treatments = new SplittableRandom(seed);
        this.tally = tally;
        RelayProcess.SUBSCRIPTIONS.forEach(name -> accounts.put(name, new Account(name)));
        this.sockets = ReceivedLine.listen(this::take);
        this.http = ReceivedRequest.listen(this::take);
    }

    public int socketPort() {
        return sockets.port();
    }

    public int httpPort() {
        return http.port();
    }

    private void take(ReceivedLine line) {
        arrived(
                new Arrival(line.instance(), line.subscription(), line.change(), Treatment.TAKEN),
                () -> line.answer(""));
    }

    private synchronized void take(ReceivedRequest request) {
        Treatment treatment = Treatment.any(treatments);
        tally.count("http " + treatment);
        arrived(
                new Arrival(request.instance(), RelayProcess.HTTP, request.change(), treatment),
                () -> treatment.answer(request));
    }

    /** How an arrival is answered. */
    private interface Reply {
        void send() throws IOException;
    }

    private synchronized void arrived(Arrival arrival, Reply reply) {
        inFlight.stream()
                .filter(each -> each.isSameAs(arrival) && each.isLate())
                .forEach(each -> account(each.subscription()).isAnsweredLate(each));
        account(arrival.subscription())
                .arrived(arrival, life(arrival.instance()), inFlight(arrival.instance(), arrival.subscription()));
        if (arrival.treatment().takes()) {
            received.merge(arrival.instance(), 1, Integer::sum);
        }
        inFlight.add(arrival);
        notifyAll();
        var unused = answers.schedule(
                () -> answer(arrival, reply), random.nextInt(SLOWEST_ANSWER_MICROS), TimeUnit.MICROSECONDS);
    }

    /** No longer in flight once the relay may know. */
    private synchronized void answer(Arrival arrival, Reply reply) {
        inFlight.remove(arrival);
        if (arrival.isLate() && inFlight.stream().noneMatch(arrival::isSameAs)) {
            account(arrival.subscription()).isAnsweredLate(arrival);
        }
        try {
            reply.send();
        } catch (IOException killed) {
            // as intended
        }
    }

    /** A process that was frozen, or lost its database, has as many events in flight afterwards as any other. */
    public synchronized void expectsAgain(String instance) {
        thawed.merge(instance, 1, Integer::sum);
    }

    private String life(String instance) {
        return instance + "/" + thawed.getOrDefault(instance, 0);
    }

    private List<Arrival> inFlight(String instance, String subscription) {
        return inFlight.stream()
                .filter(each -> each.isFrom(instance, subscription))
                .toList();
    }

    private Account account(String subscription) {
        Account account = accounts.get(subscription);
        if (account == null) {
            throw new IllegalStateException("nobody knows subscription " + subscription);
        }
        return account;
    }

    /** What is done to a process. */
    public interface Strike {
        void at(String instance) throws IOException;
    }

    /** Which instance was struck, and how many of its events were in flight. */
    public record Struck(String instance, int inFlight) {}

    /**
     * Strikes any one of the instances at a moment when it has events of the subscription in flight; no answer leaves in
     * between. Null if none had any for that long.
     */
    public synchronized @Nullable Struck strikeInFlight(
            List<String> instances, String subscription, Duration patience, Strike strike)
            throws IOException, InterruptedException {
        long giveUpAt = System.nanoTime() + patience.toNanos();
        while (true) {
            List<String> busy = instances.stream()
                    .filter(each -> !inFlight(each, subscription).isEmpty())
                    .toList();
            if (!busy.isEmpty()) {
                String victim = busy.get(random.nextInt(busy.size()));
                strike.at(victim);
                return new Struck(victim, inFlight(victim, subscription).size());
            }
            long left = (giveUpAt - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return null;
            }
            wait(left);
        }
    }

    public synchronized int receivedFrom(String instance) {
        return received.getOrDefault(instance, 0);
    }

    public synchronized int distinct(String subscription) {
        return account(subscription).distinct();
    }

    public synchronized boolean has(String subscription, UUID event) {
        return account(subscription).has(event);
    }

    /** From now on, or no longer: whatever is settled of what comes will not be known afterwards. */
    public synchronized void settlesAreLost(boolean lost) {
        accounts.values().forEach(each -> each.settlesAreLost(lost));
    }

    public synchronized Account.Result result(String subscription, List<Change> committed) {
        return account(subscription).result(committed, change -> true);
    }

    /** The same without a look at what came and then turned out not to have happened. */
    public synchronized Account.Result resultOfLog(String subscription, List<Change> log) {
        Set<UUID> ids = log.stream().map(Change::id).collect(Collectors.toSet());
        return account(subscription).result(log, change -> ids.contains(change.id()));
    }

    @Override
    public void close() throws IOException {
        sockets.close();
        http.close();
        answers.shutdownNow();
    }
}
