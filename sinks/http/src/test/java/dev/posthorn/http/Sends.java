package dev.posthorn.http;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.http.client.Reactor;
import dev.posthorn.http.receiver.RawReceiver;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Sends events through a sink and waits for what becomes of them. */
final class Sends {

    /** Of an event that is answered: it costs nothing, and a machine may stand still for a while. */
    static final Duration TIMEOUT = Duration.ofSeconds(60);

    static final Destinations LOOPBACK = Destinations.builder().allowLoopback().build();

    /** So that its threads can be told from those of other tests; all sinks of such receivers share it. */
    private static final Reactor HOSTILE = new Reactor("posthorn-http-" + RawReceiver.HOST);

    private Sends() {}

    /** A sink that may send to a receiver of this machine. */
    static HttpSink.Builder sink(String url) {
        return HttpSink.builder(url).destinations(LOOPBACK);
    }

    /** A sink that finds this receiver under its name. */
    static HttpSink.Builder sink(RawReceiver receiver, String scheme) {
        return sink(receiver.url(scheme))
                .lookup(host -> new InetAddress[] {receiver.address()})
                .reactor(HOSTILE);
    }

    static Event.Builder event() {
        return Event.builder().source("shop").type("order.placed").key("o-1").json("{\"n\": 1}");
    }

    static RecordedEvent recorded(Event event) {
        return new RecordedEvent(1, event, Instant.parse("2026-11-15T10:00:00Z"));
    }

    static Outcome one(HttpSink sink) {
        return one(sink, event().build(), TIMEOUT);
    }

    static Outcome one(HttpSink sink, Event event) {
        return one(sink, event, TIMEOUT);
    }

    static Outcome one(HttpSink sink, Event event, Duration timeout) {
        try (Channel channel = sink.open("test/0", timeout)) {
            return through(channel, event, 1);
        }
    }

    static Outcome one(HttpSink sink, RecordedEvent event) {
        try (Channel channel = sink.open("test/0", TIMEOUT)) {
            return get(begin(channel, event, 1));
        }
    }

    static Outcome through(Channel channel, Event event, int attempt) {
        return get(begin(channel, event, attempt));
    }

    static CompletableFuture<Outcome> begin(Channel channel, Event event, int attempt) {
        return begin(channel, recorded(event), attempt);
    }

    static CompletableFuture<Outcome> begin(Channel channel, RecordedEvent event, int attempt) {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        channel.send(event, attempt, outcome::complete);
        channel.flush();
        return outcome;
    }

    static Outcome get(CompletableFuture<Outcome> outcome) {
        try {
            return outcome.get(5, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new AssertionError("no answer", e);
        }
    }
}
