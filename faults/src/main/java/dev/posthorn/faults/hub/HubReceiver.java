package dev.posthorn.faults.hub;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.posthorn.faults.Change;
import dev.posthorn.faults.HttpRequest;
import dev.posthorn.faults.Ledger;
import dev.posthorn.faults.Listener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where the hubs deliver to. Takes everything. */
final class HubReceiver implements AutoCloseable {

    private static final byte[] TAKEN = "HTTP/1.1 204 No Content\r\n\r\n".getBytes(ISO_8859_1);

    private final Listener listener;
    private final Ledger ledger = new Ledger("receiver");
    private final Map<String, Long> lastAt = new HashMap<>();

    HubReceiver() throws IOException {
        this.listener = new Listener(this::talk);
    }

    private void talk(Socket socket) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
        for (HttpRequest request = HttpRequest.read(in); request != null; request = HttpRequest.read(in)) {
            take(request);
            socket.getOutputStream().write(TAKEN);
        }
    }

    private synchronized void take(HttpRequest request) {
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
