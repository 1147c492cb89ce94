package dev.posthorn.server.guard;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Reply;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Hands a subscription's events to a guard. */
final class GuardSink implements Sink {

    /** How many requests an instance has under way to a target, of each subscription that feeds it. */
    static final int CONCURRENCY = 64;

    private static final Duration SOON = Duration.ofMillis(500);

    private final String guard;
    private final Forwarder forwarder;

    GuardSink(String guard, Forwarder forwarder) {
        this.guard = guard;
        this.forwarder = forwarder;
    }

    @Override
    public boolean keepsOrder() {
        return false;
    }

    @Override
    public int concurrency() {
        return CONCURRENCY;
    }

    @Override
    public Channel open(String lane, Duration timeout) {
        return new Handing(timeout);
    }

    @Override
    public String toString() {
        return "guard " + guard;
    }

    /** Closed, it hands over nothing more; what has left is seen through, so that it does not come to be in doubt. */
    private final class Handing implements Channel {

        private final Duration timeout;
        private volatile boolean closed;

        Handing(Duration timeout) {
            this.timeout = timeout;
        }

        @Override
        public void send(RecordedEvent event, int attempt, Answer answer) {
            forwarder.forward(guard, event, timeout, () -> !closed, verdict -> {
                if (verdict instanceof Verdict.AnotherContent another
                        && !another.source().equals(event.event().source())) {
                    send(event.underItsSource(), attempt, answer);
                } else if (!closed) {
                    answer.with(outcome(verdict));
                }
            });
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /** What it means to a lane. Nothing that is in doubt, refused or decided is a matter of trying again. */
    private Outcome outcome(Verdict verdict) {
        if (verdict instanceof Verdict.Forwarded forwarded) {
            return new Outcome.Delivered(reply(forwarded.status(), forwarded.reply()));
        }
        if (verdict instanceof Verdict.Refused refused) {
            return new Outcome.Reject(refused.errorClass(), refused.reason(), reply(refused.status(), refused.reply()));
        }
        if (verdict instanceof Verdict.InDoubt doubt) {
            return new Outcome.Reject(
                    doubt.errorClass(),
                    "in doubt at guard '" + guard + "': " + doubt.reason()
                            + "; decide there whether it arrived, then replay this");
        }
        if (verdict instanceof Verdict.UnderWay underWay) {
            Duration after = underWay.left().compareTo(SOON) < 0 ? SOON : underWay.left();
            return new Outcome.Retry(
                    ErrorClass.UNKNOWN, "guard '" + guard + "' is forwarding it, and has no answer yet", after, null);
        }
        if (verdict instanceof Verdict.Abandoned abandoned) {
            return new Outcome.Reject("abandoned at guard '" + guard + "': " + abandoned.reason());
        }
        return verdict instanceof Verdict.NotForwarded not
                ? not.failure()
                : new Outcome.Reject(ErrorClass.INVALID, "guard '" + guard + "' has had another event with this id");
    }

    private static @Nullable Reply reply(@Nullable Integer status, @Nullable String text) {
        return status == null ? null : new Reply(status, text == null ? "" : text);
    }
}
