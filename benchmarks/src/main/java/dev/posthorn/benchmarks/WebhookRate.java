package dev.posthorn.benchmarks;

import dev.posthorn.event.Event;
import dev.posthorn.http.Destinations;
import dev.posthorn.http.HttpSink;
import dev.posthorn.relay.Subscription;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How fast a backlog goes to a receiver that answers at once, against the bare client in both ways of using it: from a
 * loop, as ours has to because events come from elsewhere, and as a chain.
 */
final class WebhookRate {

    private static final int KEYS = 20_000;

    /** @param size bytes of an event's payload */
    record Sizes(int events, int size, int concurrency, int lanes, int workers, int rounds, int warmUps) {}

    private final Sizes sizes;
    private final Output output;
    private final List<Double> ours = new ArrayList<>();
    private final List<Double> loop = new ArrayList<>();
    private final List<Double> chain = new ArrayList<>();
    private final List<Event> samples;

    WebhookRate(Sizes sizes, Output output) {
        this.sizes = sizes;
        this.output = output;
        this.samples = Stream.generate(new SampleEvents(2, sizes.size, KEYS)::next)
                .limit(KEYS)
                .toList();
    }

    void measure(Server server) throws IOException, SQLException, InterruptedException {
        Database database = server.create("webhook");
        output.progress("recording a backlog of %,d events", sizes.events);
        database.record(sizes.events, new SampleEvents(1, sizes.size, KEYS));
        database.comeToRest();
        try (ChildProgram receiver = ChildProgram.start(
                WebhookReceiver.class, List.of("-Xmx64m", "-XX:+UseSerialGC"), Map.of(), List.of())) {
            int port = Integer.parseInt(receiver.awaitLine("ready "));
            for (int i = 0; i < sizes.warmUps + sizes.rounds; i++) {
                round(database, port, i);
            }
        }
        server.drop("webhook");
    }

    private void round(Database database, int port, int round) throws InterruptedException {
        boolean oursFirst = round % 2 == 0;
        double before = oursFirst ? ours(database, port, round) : 0;
        double looped;
        double chained;
        try (BareClient client = new BareClient(port, sizes.concurrency)) {
            looped = sizes.events / client.secondsOfLoop(samples, sizes.events);
            chained = sizes.events / client.secondsOfChain(samples, sizes.events);
        }
        double ourRate = oursFirst ? before : ours(database, port, round);
        int counted = round - sizes.warmUps + 1;
        output.progress(
                "%s: ours %,.0f deliveries/s, bare loop %,.0f requests/s, bare chain %,.0f requests/s",
                counted > 0 ? "round " + counted : "warm-up", ourRate, looped, chained);
        if (counted > 0) {
            ours.add(ourRate);
            loop.add(looped);
            chain.add(chained);
        }
    }

    private double ours(Database database, int port, int round) {
        HttpSink sink = HttpSink.builder("http://127.0.0.1:" + port + "/")
                .destinations(Destinations.builder().allowLoopback().build())
                .signedWith(HttpSink.newSecret())
                .concurrency(sizes.concurrency)
                .build();
        Subscription subscription = Subscription.to("round-" + round, sink)
                .fromBeginning()
                .lanes(sizes.lanes)
                .build();
        return sizes.events
                / Draining.seconds(database.dataSource(), List.of(subscription), sizes.workers, sizes.events);
    }

    double oursPerSecond() {
        return Figures.median(ours);
    }

    double loopPerSecond() {
        return Figures.median(loop);
    }

    double chainPerSecond() {
        return Figures.median(chain);
    }

    double loopRatio() {
        return oursPerSecond() / loopPerSecond();
    }

    double chainRatio() {
        return oursPerSecond() / chainPerSecond();
    }

    Map<String, Object> figures() {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("oursPerSecond", oursPerSecond());
        figures.put("loopPerSecond", loopPerSecond());
        figures.put("chainPerSecond", chainPerSecond());
        figures.put("loopRatio", loopRatio());
        figures.put("chainRatio", chainRatio());
        figures.put("oursRounds", ours);
        figures.put("loopRounds", loop);
        figures.put("chainRounds", chain);
        figures.put("events", sizes.events);
        figures.put("payloadBytes", sizes.size);
        figures.put("concurrency", sizes.concurrency);
        figures.put("lanes", sizes.lanes);
        figures.put("workers", sizes.workers);
        return figures;
    }
}
