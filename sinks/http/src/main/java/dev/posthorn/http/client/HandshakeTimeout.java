package dev.posthorn.http.client;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.reactor.IOSessionListener;

/**
 * Ends TLS handshakes that take too long. The client's own limit begins anew with every byte: a receiver that sends one
 * now and then would keep the connection for ever, as nobody has it yet who could end it.
 */
final class HandshakeTimeout implements IOSessionListener {

    private final Duration longest;
    private final Set<String> running = ConcurrentHashMap.newKeySet();

    HandshakeTimeout(Duration longest) {
        this.longest = longest;
    }

    @Override
    public void startTls(IOSession session) {
        running.add(session.getId());
        Timer.after(longest.toNanos(), () -> {
            if (running.remove(session.getId())) {
                session.close(CloseMode.IMMEDIATE);
            }
        });
    }

    /** With TLS this comes when the hands are shaken. */
    @Override
    public void connected(IOSession session) {
        running.remove(session.getId());
    }

    @Override
    public void disconnected(IOSession session) {
        running.remove(session.getId());
    }

    @Override
    public void inputReady(IOSession session) {}

    @Override
    public void outputReady(IOSession session) {}

    @Override
    public void timeout(IOSession session) {}

    @Override
    public void exception(IOSession session, Exception error) {}
}
