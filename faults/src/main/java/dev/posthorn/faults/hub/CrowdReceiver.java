package dev.posthorn.faults.hub;

import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Ledger;
import dev.posthorn.faults.harness.ReceivedRequest;
import dev.posthorn.testkit.Listener;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Where the hubs deliver to for all subscriptions of a crowd: each has a path and a ledger. Takes everything. */
final class CrowdReceiver implements AutoCloseable {

    /** Each is good for some 28,000 connections. */
    private static final int PORTS = 4;

    private static final String PATH = "/s/";

    private final List<Listener> listeners;
    private final Ledger[] ledgers;
    private int arrived;
    private int haveOneForAll;

    CrowdReceiver(int subscriptions) {
        this.ledgers = IntStream.range(0, subscriptions)
                .mapToObj(i -> new Ledger("s-" + i))
                .toArray(Ledger[]::new);
        this.listeners = IntStream.range(0, PORTS)
                .mapToObj(i -> ReceivedRequest.listen(this::take))
                .toList();
    }

    private void take(ReceivedRequest request) throws IOException {
        note(Integer.parseInt(request.path().substring(PATH.length())), request.change());
        request.take();
    }

    private synchronized void note(int subscription, Change change) {
        boolean again = ledgers[subscription].note(change, any -> true);
        if (!again) {
            arrived++;
            haveOneForAll += ManySubscriptions.isForAll(change) ? 1 : 0;
        }
    }

    String url(int subscription) {
        return "http://127.0.0.1:" + listeners.get(subscription % PORTS).port() + PATH + subscription;
    }

    /** First arrivals, of all subscriptions. */
    synchronized int arrived() {
        return arrived;
    }

    /** How many subscriptions have got the event that all want. */
    synchronized int haveOneForAll() {
        return haveOneForAll;
    }

    /** Of all subscriptions together. */
    synchronized Ledger.Verdict verdict(IntFunction<? extends Collection<Change>> shares) {
        return IntStream.range(0, ledgers.length)
                .mapToObj(i -> ledgers[i].verdict(List.copyOf(shares.apply(i)), change -> true))
                .reduce(Ledger.Verdict.none("all subscriptions"), Ledger.Verdict::and);
    }

    @Override
    public void close() {
        listeners.forEach(Listener::close);
    }
}
