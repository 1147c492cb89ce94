package dev.posthorn.sink.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.contract.MemoryReceiver.Reaction;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;

/** One thread that takes what was handed over to the receiver, one after the other. */
final class MemoryChannel implements Channel {

    private record Handed(RecordedEvent event, Answer answer, long deadline) {}

    private final MemorySink sink;
    private final Duration timeout;
    private final BlockingDeque<Handed> queue = new LinkedBlockingDeque<>();
    private final Thread thread;
    private volatile boolean closed;
    private boolean failed;
    private int sent;
    private int taken;

    MemoryChannel(MemorySink sink, String lane, Duration timeout) {
        this.sink = sink;
        this.timeout = timeout;
        this.thread = new Thread(this::run, "memory-" + lane);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    @Override
    public void send(RecordedEvent event, int attempt, Answer answer) {
        Reaction mood = sink.receiver().mood();
        if (mood == Reaction.IS_AWAY && sink.has(Flaw.THROWS_IF_THERE_IS_NO_CONNECTION)) {
            throw new IllegalStateException("no connection");
        }
        if (sent++ == 0 && mood == Reaction.IS_AWAY && sink.has(Flaw.WAITS_FOR_A_CONNECTION)) {
            sleep(600);
        }
        if (sent > 1 && mood == Reaction.IS_SILENT && sink.has(Flaw.WAITS_FOR_AN_ANSWER)) {
            sleep(100);
        }
        queue.add(new Handed(event, answer, System.nanoTime() + timeout.toNanos()));
    }

    private void run() {
        try {
            while (!closed || triesOn()) {
                deliver(next());
            }
            while (sink.has(Flaw.LEAVES_A_THREAD) && sink.receiver().mood() != Reaction.IS_GONE) {
                sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Handed next() throws InterruptedException {
        Handed next = queue.take();
        if (sink.has(Flaw.MIXES_THE_ORDER) && ++taken % 50 == 0) {
            Handed later = queue.pollLast();
            if (later != null) {
                queue.addFirst(next);
                return later;
            }
        }
        return next;
    }

    private void deliver(Handed handed) throws InterruptedException {
        if (failed || sink.remembersOutage()) {
            answerBehind(handed);
            return;
        }
        Event event = onTheWire(handed.event());
        if (sink.has(Flaw.ANSWERS_TOO_EARLY)) {
            handed.answer().with(Outcome.DELIVERED);
            Thread.sleep(20);
        }
        Reaction reaction = isDropped(event) ? Reaction.TAKES : pass(event);
        while (triesOn() && reaction == triesOnWhile()) {
            Thread.sleep(10);
            reaction = pass(event);
        }
        switch (reaction) {
            case TAKES -> delivered(handed, event);
            case REFUSES -> refused(handed);
            case IS_SILENT -> unanswered(handed);
            case IS_AWAY, IS_GONE -> away(handed);
        }
    }

    /** Not at the same time as the channel's end: nothing may leave after it. */
    private synchronized Reaction pass(Event event) {
        return closed && !triesOn() ? Reaction.IS_GONE : sink.receiver().take(event);
    }

    private void answerBehind(Handed handed) {
        if (sink.has(Flaw.GOES_ON_IN_SECRET_AFTER_A_FAILURE)) {
            sink.receiver().take(onTheWire(handed.event()));
        }
        if (!sink.has(Flaw.STANDS_STILL_IN_SILENCE_AFTER_A_FAILURE)) {
            handed.answer().with(new Outcome.Unavailable("behind a failed event"));
        }
    }

    private void delivered(Handed handed, Event event) {
        if (sink.has(Flaw.SENDS_TWICE)) {
            sink.receiver().take(event);
        }
        if (!sink.has(Flaw.FORGETS_AN_ANSWER) || handed.event().seq() % 10 != 0) {
            handed.answer().with(Outcome.DELIVERED);
        }
        if (sink.has(Flaw.ANSWERS_TWICE)) {
            handed.answer().with(Outcome.DELIVERED);
        }
    }

    private void refused(Handed handed) {
        fail(sink.has(Flaw.STANDS_STILL_AFTER_A_REFUSAL));
        handed.answer()
                .with(
                        sink.has(Flaw.TRIES_REFUSED_EVENTS_AGAIN)
                                ? new Outcome.Retry(ErrorClass.REJECTED, "refused")
                                : new Outcome.Reject("refused"));
    }

    private void fail(boolean whateverTheOrder) {
        failed = whateverTheOrder || (sink.keepsOrder() && !sink.has(Flaw.GOES_ON_AFTER_A_FAILURE));
    }

    private void unanswered(Handed handed) throws InterruptedException {
        if (sink.keepsOrder() || sink.has(Flaw.NEVER_GIVES_UP)) {
            Thread.sleep(Long.MAX_VALUE);
        }
        Thread.sleep(Math.max(0, (handed.deadline() - System.nanoTime()) / 1_000_000));
        handed.answer().with(new Outcome.Retry(ErrorClass.TIMEOUT, "no answer"));
        if (sink.has(Flaw.TRIES_AGAIN_WHAT_IT_GAVE_UP)) {
            queue.add(handed);
        }
    }

    private void away(Handed handed) {
        sink.rememberOutage();
        fail(sink.has(Flaw.REMEMBERS_AN_OUTAGE_IN_THE_CHANNEL));
        String reason = "nobody listens" + (sink.has(Flaw.TELLS_A_SECRET_IN_ITS_REASON) ? sink.secret() : "");
        handed.answer()
                .with(
                        sink.has(Flaw.BLAMES_THE_EVENT_FOR_AN_OUTAGE)
                                ? new Outcome.Reject(reason)
                                : new Outcome.Unavailable(
                                        sink.has(Flaw.GIVES_NO_CLASS) ? ErrorClass.UNKNOWN : ErrorClass.REFUSED,
                                        sink.has(Flaw.GIVES_NO_REASON) ? " " : reason));
    }

    private boolean triesOn() {
        return triesOnWhile() != Reaction.IS_GONE;
    }

    private Reaction triesOnWhile() {
        if (sink.has(Flaw.TRIES_ON_AFTER_CLOSE_WHEN_AWAY)) {
            return Reaction.IS_AWAY;
        }
        return sink.has(Flaw.TRIES_ON_AFTER_CLOSE_IN_SILENCE) ? Reaction.IS_SILENT : Reaction.IS_GONE;
    }

    private boolean isDropped(Event event) {
        return sink.has(Flaw.DROPS_EMPTY_PAYLOADS) && event.payload().length == 0;
    }

    /** The event as it is put together again on the other side. */
    private Event onTheWire(RecordedEvent recorded) {
        Event event = recorded.event();
        Map<String, String> headers = new HashMap<>(event.headers());
        if (sink.has(Flaw.LOSES_A_HEADER)) {
            headers.remove("traceparent");
        }
        byte[] payload = event.payload();
        return new Event(
                event.id(),
                sink.has(Flaw.LOSES_THE_SOURCE_ID) ? null : event.sourceId(),
                event.source(),
                event.type(),
                event.version(),
                event.aggregateType(),
                event.key() == null && sink.has(Flaw.INVENTS_A_KEY) ? event.id().toString() : event.key(),
                event.contentType(),
                sink.has(Flaw.TAKES_BYTES_FOR_TEXT) ? new String(payload, UTF_8).getBytes(UTF_8) : payload,
                headers,
                time(recorded),
                null);
    }

    private Instant time(RecordedEvent recorded) {
        Instant occurredAt = recorded.event().occurredAt();
        if (occurredAt == null) {
            return sink.has(Flaw.TAKES_THE_TIME_OF_SENDING) ? Instant.now() : recorded.createdAt();
        }
        return sink.has(Flaw.TAKES_THE_TIME_OF_RECORDING) ? recorded.createdAt() : occurredAt;
    }

    @Override
    public void close() {
        if (closed && sink.has(Flaw.CLOSES_ONLY_ONCE)) {
            throw new IllegalStateException("closed already");
        }
        if (sink.has(Flaw.CLOSES_WHEN_ALL_IS_ANSWERED) && sink.receiver().mood() == Reaction.IS_SILENT) {
            sleep(1100);
        }
        if (sink.has(Flaw.CLOSES_EVERY_CHANNEL)) {
            sink.closeAll();
        }
        end();
    }

    synchronized void end() {
        closed = true;
        if (!triesOn() && !sink.has(Flaw.LEAVES_A_THREAD)) {
            thread.interrupt();
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
