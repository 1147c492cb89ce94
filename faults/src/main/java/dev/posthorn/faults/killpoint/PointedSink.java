package dev.posthorn.faults.killpoint;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.util.Set;

/** A sink that passes a kill point before every send, and before and after every answer. */
public final class PointedSink implements Sink {

    private final Sink sink;
    private final KillPoints points;

    public PointedSink(Sink sink, KillPoints points) {
        this.sink = sink;
        this.points = points;
    }

    @Override
    public boolean keepsOrder() {
        return sink.keepsOrder();
    }

    @Override
    public Channel open(String lane, Duration timeout) {
        Channel channel = sink.open(lane, timeout);
        return new Channel() {
            @Override
            public void send(RecordedEvent event, int attempt, Answer answer) {
                int unit = points.unit();
                points.at(unit, Point.Place.BEFORE_SEND, Set.of());
                channel.send(event, attempt, outcome -> {
                    points.at(unit, Point.Place.BEFORE_ANSWER, Set.of());
                    answer.with(outcome);
                    points.at(unit, Point.Place.AFTER_ANSWER, Set.of());
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
        };
    }
}
