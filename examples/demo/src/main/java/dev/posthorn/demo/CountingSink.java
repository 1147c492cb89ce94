package dev.posthorn.demo;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what another sink delivers. A lane's own counters go when the lane goes to another instance. */
final class CountingSink implements Sink {

    private final Sink sink;
    private final AtomicLong delivered = new AtomicLong();

    CountingSink(Sink sink) {
        this.sink = sink;
    }

    long delivered() {
        return delivered.get();
    }

    @Override
    public boolean keepsOrder() {
        return sink.keepsOrder();
    }

    @Override
    public Channel open(String lane, Duration timeout) {
        return new CountingChannel(sink.open(lane, timeout));
    }

    private final class CountingChannel implements Channel {

        private final Channel channel;

        private CountingChannel(Channel channel) {
            this.channel = channel;
        }

        @Override
        public void send(RecordedEvent event, int attempt, Answer answer) {
            channel.send(event, attempt, outcome -> {
                if (outcome instanceof Outcome.Delivered) {
                    delivered.incrementAndGet();
                }
                answer.with(outcome);
            });
        }

        @Override
        public void flush() {
            channel.flush();
        }

        @Override
        public void close() {
            channel.close();
        }
    }
}
