package dev.posthorn.server.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.stream.StreamMessages.Hello;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import tools.jackson.databind.json.JsonMapper;

/**
 * Those who watch, and what was told of late: whoever comes again after a moment is told what it has missed. They are let go
 * when the hub ends, before anything else does: its last answers would wait for them.
 */
final class Listeners implements SmartLifecycle {

    private static final Pattern ID = Pattern.compile("([0-9a-f]{8})-(\\d{1,18})");
    private static final int MOST_KEPT = 1_000;
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final byte[] HEARTBEAT = ":\n\n".getBytes(UTF_8);

    /** For so long after the last one has gone what happens is still kept. */
    private static final long LINGER_NANOS = Duration.ofSeconds(30).toNanos();

    /** Numbers count in one hub's life alone. */
    private final String life = HexFormat.of().toHexDigits(new SecureRandom().nextInt());

    private final int limit;
    private final JsonMapper json;
    private final Semaphore places;
    private final Set<Listener> all = ConcurrentHashMap.newKeySet();
    private final Deque<Told> kept = new ArrayDeque<>();
    private long number;
    private volatile long leftAt = System.nanoTime() - LINGER_NANOS;
    private volatile boolean isOver;
    private volatile boolean running;

    Listeners(int limit, JsonMapper json) {
        this.limit = limit;
        this.places = new Semaphore(limit);
        this.json = json;
    }

    private record Told(long number, Message message) {}

    /** Takes a place for one more, or refuses it. */
    void takePlace() {
        if (isOver || !places.tryAcquire()) {
            // Some may have gone without a word, which is noticed when they are told something.
            heartbeat();
            throw Problem.unavailable(
                            isOver
                                    ? "the hub is about to end; watch another one, or try again"
                                    : limit
                                            + " watch already (posthorn.stream.listeners); ask now and then instead, or try"
                                            + " again later",
                            SOON)
                    .asException();
        }
    }

    /** Nobody comes to the place that was taken. */
    void giveBack() {
        places.release();
    }

    /** Tells it what it has missed, and from now on what happens. */
    synchronized void join(Listener listener, @Nullable String lastId) {
        List<Told> missed = new ArrayList<>();
        boolean resumed = lastId != null && isKnown(lastId, missed);
        List<String> topics =
                listener.topics().stream().map(Topic::toString).sorted().toList();
        long from = missed.isEmpty() ? number : missed.get(0).number() - 1;
        listener.offer(text(from, "hello", new Hello(resumed, topics)));
        missed.forEach(told -> tell(listener, told));
        all.add(listener);
        if (isOver) {
            listener.end();
        }
    }

    /** Whether all is known that came after that one. */
    private boolean isKnown(String lastId, List<Told> missed) {
        Matcher id = ID.matcher(lastId);
        if (!id.matches() || !id.group(1).equals(life)) {
            return false;
        }
        long last = Long.parseLong(id.group(2));
        long oldest = kept.isEmpty() ? number : kept.getFirst().number() - 1;
        if (last < oldest || last > number) {
            return false;
        }
        kept.stream().filter(told -> told.number() > last).forEach(missed::add);
        return true;
    }

    /** Without the lock: it may be gone by the time it is told something. */
    void leave(Listener listener) {
        all.remove(listener);
        leftAt = System.nanoTime();
        places.release();
    }

    /** Whether anybody watches any of these, or did a moment ago. */
    synchronized boolean anyWatches(Topic topic) {
        return all.stream().anyMatch(each -> each.topics().contains(topic))
                || (all.isEmpty() && System.nanoTime() - leftAt < LINGER_NANOS);
    }

    /** Tells all who want to know. */
    synchronized void tell(Message message) {
        number++;
        Told told = new Told(number, message);
        kept.add(told);
        if (kept.size() > MOST_KEPT) {
            kept.removeFirst();
        }
        all.forEach(each -> tell(each, told));
    }

    private void tell(Listener listener, Told told) {
        Message message = told.message();
        if (listener.topics().contains(message.topic())) {
            Object data = message.data().apply(listener);
            if (data != null) {
                listener.offer(text(told.number(), message.event(), data));
            }
        }
    }

    private byte[] text(long id, String event, Object data) {
        return ("id: " + life + "-" + id + "\nevent: " + event + "\ndata: " + json.writeValueAsString(data) + "\n\n")
                .getBytes(UTF_8);
    }

    /** So that a connection that is gone is noticed, and none is taken for one. */
    void heartbeat() {
        all.forEach(each -> each.offer(HEARTBEAT));
    }

    /** The keys have changed. */
    void checkAgain() {
        List.copyOf(all).forEach(Listener::checkAgain);
    }

    /** How many watch. */
    int count() {
        return all.size();
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        synchronized (this) {
            isOver = true;
        }
        List.copyOf(all).forEach(Listener::end);
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
