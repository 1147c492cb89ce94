package dev.posthorn.http;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.http.client.Timer;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One lane's exchanges: no more than the sink takes at a time, and each over by its deadline. */
final class HttpChannel implements Channel {

    private final SinkParts parts;
    private final Duration timeout;
    private final Set<Exchange> running = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean watched = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile Timer.@Nullable Task watch;

    HttpChannel(SinkParts parts, Duration timeout) {
        this.parts = parts;
        this.timeout = timeout;
        parts.connections().open(timeout);
    }

    @Override
    public void send(RecordedEvent event, int attempt, Answer answer) {
        if (closed.get()) {
            return;
        }
        Exchange exchange = new Exchange(parts, event, attempt, timeout, answer, running::remove);
        running.add(exchange);
        watch();
        exchange.start();
    }

    /** All have the same time: whoever began first is the first whose time is up. */
    private void watch() {
        if (!running.isEmpty() && watched.compareAndSet(false, true)) {
            long oldest = running.stream().mapToLong(Exchange::age).max().orElse(0);
            watch = Timer.after(timeout.toNanos() - oldest, this::giveUpOverdue);
        }
    }

    private void giveUpOverdue() {
        watched.set(false);
        for (Exchange exchange : running) {
            if (exchange.age() >= timeout.toNanos()) {
                exchange.giveUp();
            }
        }
        watch();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            running.forEach(Exchange::end);
            Timer.Task planned = watch;
            if (planned != null) {
                planned.cancel();
            }
            parts.connections().close();
        }
    }
}
