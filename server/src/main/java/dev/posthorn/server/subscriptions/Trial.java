package dev.posthorn.server.subscriptions;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import dev.posthorn.event.EventLimits;
import dev.posthorn.event.Marks;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.masking.Echoes;
import dev.posthorn.server.masking.Masked;
import dev.posthorn.server.masking.Masker;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.subscriptions.sinks.CheckedBuilder;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Reply;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.springframework.stereotype.Component;

/** Sends a marked sample straight to a sink, past the log, and tells what came back. */
@Component
final class Trial {

    /** Nobody waits for longer at the other end of a call. */
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private static final Duration GRACE = Duration.ofMillis(500);

    private static final int MOST = 8;
    private static final Duration SOON = Duration.ofSeconds(1);

    private final Semaphore places = new Semaphore(MOST);
    private final EventLimits limits;
    private final Masker masker;

    Trial(EventLimits limits, Masker masker) {
        this.limits = limits;
        this.masker = masker;
    }

    /** What to send, within the limits. */
    Event event(Sample sample) {
        String type = sample.type() == null ? "posthorn.test" : sample.type();
        String data = sample.data() == null ? "{\"test\": true}" : sample.data().toString();
        return CheckedBuilder.blaming("", () -> {
            Event event = Event.builder()
                    .source("posthorn")
                    .type(type)
                    .contentType(Event.JSON)
                    .payload(data.getBytes(UTF_8))
                    .headers(sample.headers() == null ? Map.of() : sample.headers())
                    .build();
            limits.check(event);
            return event;
        });
    }

    /** Refuses it if too many are under way: each keeps a thread of the hub's and one of its own for as long as it takes. */
    TrialAnswer of(String subscription, Sink sink, Duration timeout, Event sample, Caller caller) {
        if (!places.tryAcquire()) {
            throw new Problem(
                            ProblemType.TOO_MANY_REQUESTS,
                            MOST + " tests are under way, which is the limit; try again when one has its answer",
                            List.of(),
                            SOON)
                    .asException();
        }
        try {
            return sent(subscription, sink, timeout, sample, caller);
        } finally {
            places.release();
        }
    }

    private TrialAnswer sent(String subscription, Sink sink, Duration timeout, Event sample, Caller caller) {
        RecordedEvent event = new RecordedEvent(0, sample, Instant.now()).marked(Marks.TEST, "true");
        Duration atMost = timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST;
        long started = System.nanoTime();
        Outcome outcome = outcome(sink, subscription + "/test", atMost, event);
        long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
        return answer(outcome, tookMillis, texts(sample, caller));
    }

    /** The sample's payload as everybody may see it. */
    String shown(Event sample) {
        Masked masked = masker.mask(sample);
        if (masked.payload() == Masked.Part.NOTHING) {
            return Echoes.MASK;
        }
        return masked.json() == null ? new String(sample.payload(), UTF_8) : masked.json();
    }

    /** What the receiver says may be what it was sent. The reason is masked already, by the sink. */
    private UnaryOperator<String> texts(Event event, Caller caller) {
        return caller.seesPayloads()
                ? UnaryOperator.identity()
                : masker.mask(event).echoes()::hiddenIn;
    }

    /** A sink that keeps the order leaves it to its lane to give up; here nobody else would. */
    private static Outcome outcome(Sink sink, String lane, Duration timeout, RecordedEvent event) {
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        try (Channel channel = sink.open(lane, timeout)) {
            channel.send(event, 1, answer::complete);
            channel.flush();
            return answer.get(timeout.plus(GRACE).toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return new Outcome.Unavailable(ErrorClass.TIMEOUT, "no answer within " + timeout.toMillis() + " ms");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Outcome.Unavailable(ErrorClass.UNKNOWN, "the hub is stopping");
        } catch (ExecutionException e) {
            throw new IllegalStateException("an answer is never an exception", e);
        }
    }

    private static TrialAnswer answer(Outcome outcome, long tookMillis, UnaryOperator<String> texts) {
        Reply reply = outcome.reply();
        return new TrialAnswer(
                outcome.getClass().getSimpleName().toLowerCase(Locale.ROOT),
                outcome instanceof Outcome.Failure failure ? failure.reason() : null,
                reply == null ? null : reply.code(),
                reply == null ? null : texts.apply(reply.text()),
                tookMillis);
    }
}
