package dev.posthorn.benchmarks.testbed;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Sink;
import java.time.Duration;

/** Takes everything at once and forgets it, so that what is measured is the log and the relay. */
public final class NullSink implements Sink {

    @Override
    public boolean keepsOrder() {
        return true;
    }

    @Override
    public Channel open(String lane, Duration timeout) {
        return new Channel() {
            @Override
            public void send(RecordedEvent event, int attempt, Answer answer) {
                answer.with(Outcome.DELIVERED);
            }

            @Override
            public void close() {}
        };
    }
}
