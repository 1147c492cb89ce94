package dev.posthorn.kafka;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A sink as it is, and what it answers other than "delivered". */
final class WatchedSink implements Sink {

    private final Sink sink;
    private final AtomicInteger opened = new AtomicInteger();
    private final List<Outcome.Failure> failures = new CopyOnWriteArrayList<>();

    WatchedSink(Sink sink) {
        this.sink = sink;
    }

    @Override
    public boolean keepsOrder() {
        return sink.keepsOrder();
    }

    @Override
    public Channel open(String lane, Duration timeout) {
        opened.incrementAndGet();
        Channel channel = sink.open(lane, timeout);
        return new Channel() {

            private boolean failed;

            @Override
            public void send(RecordedEvent event, int attempt, Answer answer) {
                channel.send(event, attempt, outcome -> {
                    note(outcome);
                    answer.with(outcome);
                });
            }

            /** The first of each channel: what follows is behind it. */
            private synchronized void note(Outcome outcome) {
                if (!failed && outcome instanceof Outcome.Failure failure) {
                    failed = true;
                    failures.add(failure);
                }
            }

            @Override
            public void flush() {
                channel.flush();
            }

            @Override
            public void close() {
                channel.close();
            }
        };
    }

    /** How often a lane opened a channel: once, and again after every failure. */
    int opened() {
        return opened.get();
    }

    List<Outcome.Failure> failures() {
        return List.copyOf(failures);
    }
}
