package dev.posthorn.server.masking;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Reply;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A sink whose reasons quote no masked value. A reason goes into logs, lists, groups of causes, breakers and searches,
 * where nobody can tell any more which event it was about; so it is masked before it goes anywhere, for everybody. What
 * the receiver said stays in the reply, which is shown for one event at a time.
 */
public final class MaskingSink implements Sink {

    private static final Logger log = LoggerFactory.getLogger(MaskingSink.class);

    /** The receiver has said nothing, so that nothing can be an echo. */
    private static final Set<ErrorClass> SILENT = EnumSet.of(
            ErrorClass.REFUSED,
            ErrorClass.TIMEOUT,
            ErrorClass.DNS,
            ErrorClass.TLS,
            ErrorClass.FORBIDDEN,
            ErrorClass.DISCONNECTED);

    private final Sink sink;
    private final Masker masker;

    public MaskingSink(Sink sink, Masker masker) {
        this.sink = sink;
        this.masker = masker;
    }

    @Override
    public boolean keepsOrder() {
        return sink.keepsOrder();
    }

    @Override
    public int concurrency() {
        return sink.concurrency();
    }

    @Override
    public Channel open(String lane, Duration timeout) {
        Channel channel = sink.open(lane, timeout);
        return new Channel() {

            @Override
            public void send(RecordedEvent event, int attempt, Answer answer) {
                channel.send(event, attempt, outcome -> answer.with(masked(event.event(), outcome)));
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

    private Outcome masked(Event event, Outcome outcome) {
        if (!(outcome instanceof Outcome.Failure failure) || isSilent(failure)) {
            return outcome;
        }
        String reason = reason(event, failure);
        return reason.equals(failure.reason()) ? outcome : with(reason, failure);
    }

    private static boolean isSilent(Outcome.Failure failure) {
        return failure.reply() == null && SILENT.contains(failure.errorClass());
    }

    /** Whatever goes wrong here, the lane waits for its answer. */
    private String reason(Event event, Outcome.Failure failure) {
        try {
            Masked masked = masker.mask(event);
            return masked.payload() == Masked.Part.NOTHING
                    ? unquoted(failure)
                    : masked.echoes().hiddenIn(failure.reason());
        } catch (RuntimeException e) {
            log.warn(
                    "Event {}: why it failed could not be masked ({}), so it is not told",
                    event.id(),
                    e.getClass().getSimpleName());
            return unquoted(failure);
        }
    }

    private static String unquoted(Outcome.Failure failure) {
        Reply reply = failure.reply();
        return "failed as " + failure.errorClass().label()
                + (reply == null ? "" : ", with code " + reply.code())
                + "; the words are masked like the payload";
    }

    private static Outcome.Failure with(String reason, Outcome.Failure failure) {
        if (failure instanceof Outcome.Retry retry) {
            return new Outcome.Retry(retry.errorClass(), reason, retry.after(), retry.reply());
        }
        if (failure instanceof Outcome.Reject reject) {
            return new Outcome.Reject(reject.errorClass(), reason, reject.reply());
        }
        return failure instanceof Outcome.Unavailable unavailable
                ? new Outcome.Unavailable(unavailable.errorClass(), reason, unavailable.reply())
                : new Outcome.Gone(reason, failure.reply());
    }
}
