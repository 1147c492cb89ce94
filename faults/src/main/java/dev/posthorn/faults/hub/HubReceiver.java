package dev.posthorn.faults.hub;

import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Ledger;
import dev.posthorn.faults.harness.ReceivedRequest;
import dev.posthorn.testkit.Listener;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where the hubs deliver to. Takes everything. */
final class HubReceiver implements AutoCloseable {

    private final Listener listener;
    private final Ledger ledger = new Ledger("receiver");
    private final Map<String, Long> lastAt = new HashMap<>();

    HubReceiver() throws IOException {
        this.listener = ReceivedRequest.listen(this::take);
    }

    private void take(ReceivedRequest request) throws IOException {
        note(request);
        request.take();
    }

    private synchronized void note(ReceivedRequest request) {
        ledger.note(request.change(), again -> true);
        lastAt.put(request.path(), System.nanoTime());
    }

    String url(String path) {
        return "http://127.0.0.1:" + listener.port() + path;
    }

    synchronized int distinct() {
        return ledger.distinct();
    }

    /** When something last came to this path. */
    synchronized long lastAt(String path) {
        return lastAt.getOrDefault(path, Long.MIN_VALUE);
    }

    synchronized Ledger.Verdict verdict(List<Change> recorded) {
        return ledger.verdict(recorded, change -> true);
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
