package dev.posthorn.testing;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A sink that remembers what it was handed. It answers at once, as {@link #answering} says, or, after {@link #hold},
 * when {@link #answerAll} is called. Thread-safe.
 */
public final class RecordingSink implements Sink {

    private final boolean keepsOrder;
    private final List<RecordedEvent> received = new ArrayList<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private Function<RecordedEvent, Outcome> answering = event -> Outcome.DELIVERED;
    private boolean holding;
    private int concurrency = Integer.MAX_VALUE;
    private int opened;

    /** What was handed over and not answered. */
    public record Waiting(RecordedEvent event, int attempt, Answer answer, Channel channel) {}

    private RecordingSink(boolean keepsOrder) {
        this.keepsOrder = keepsOrder;
    }

    /** Takes one event of a key at a time, like an HTTP receiver. */
    public static RecordingSink oneAtATime() {
        return new RecordingSink(false);
    }

    /** Takes any number at once, like a broker. */
    public static RecordingSink pipelined() {
        return new RecordingSink(true);
    }

    /** Takes at most so many at a time. */
    public synchronized RecordingSink taking(int concurrency) {
        this.concurrency = concurrency;
        return this;
    }

    /** From now on answers like this. */
    public synchronized RecordingSink answering(Function<RecordedEvent, Outcome> outcome) {
        this.answering = outcome;
        return this;
    }

    /** From now on leaves everything unanswered. */
    public synchronized void hold() {
        holding = true;
    }

    /** Answers what is waiting and goes on answering at once. */
    public synchronized void answerAll() {
        holding = false;
        List<Waiting> now = List.copyOf(waiting);
        waiting.clear();
        now.forEach(each -> each.answer().with(answering.apply(each.event())));
    }

    @Override
    public boolean keepsOrder() {
        return keepsOrder;
    }

    @Override
    public synchronized int concurrency() {
        return concurrency;
    }

    @Override
    public synchronized Channel open(String lane, Duration timeout) {
        opened++;
        return new RecordingChannel();
    }

    /** Everything handed over so far, repetitions included. */
    public synchronized List<RecordedEvent> received() {
        return List.copyOf(received);
    }

    /** The seqs of everything handed over so far, in that order. */
    public synchronized List<Long> receivedSeqs() {
        return received.stream().map(RecordedEvent::seq).toList();
    }

    public synchronized List<Waiting> waiting() {
        return List.copyOf(waiting);
    }

    /** How often a lane opened a channel: once, and again after every failure. */
    public synchronized int opened() {
        return opened;
    }

    private synchronized void take(RecordedEvent event, int attempt, Answer answer, RecordingChannel channel) {
        if (channel.broken) {
            answer.with(new Outcome.Unavailable("behind a failed event"));
            return;
        }
        received.add(event);
        if (holding) {
            waiting.add(new Waiting(event, attempt, answer, channel));
            return;
        }
        Outcome outcome = answering.apply(event);
        channel.broken = keepsOrder && !(outcome instanceof Outcome.Delivered);
        answer.with(outcome);
    }

    private synchronized void forget(Channel channel) {
        waiting.removeIf(each -> each.channel() == channel);
    }

    private final class RecordingChannel implements Channel {

        private boolean broken;

        @Override
        public void send(RecordedEvent event, int attempt, Answer answer) {
            take(event, attempt, answer, this);
        }

        @Override
        public void close() {
            forget(this);
        }
    }
}
