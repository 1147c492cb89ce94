package dev.posthorn.benchmarks;

import dev.posthorn.event.Event;
import dev.posthorn.relay.RetryPolicy;
import dev.posthorn.relay.Subscription;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Whether the other keys notice that one of them is stuck, with a long queue behind it. */
@Command(
        name = "hold",
        mixinStandardHelpOptions = true,
        description = "Drain while one key, whose first event keeps failing, holds back many; against the same drain"
                + " without that key.")
final class Hold implements Callable<Integer> {

    private static final String STUCK = "stuck";

    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    private static final String WAITING = """
            SELECT count(*) FROM posthorn.delivery d JOIN posthorn.lane l ON l.id = d.lane_id
              JOIN posthorn.subscription s ON s.id = l.subscription_id WHERE s.name = ?
            """;

    @Mixin
    private final Output output = new Output();

    @Option(names = "--held", description = "Events held behind the failing one (${DEFAULT-VALUE}).")
    private int held = 100_000;

    @Option(names = "--events", description = "Events of other keys to drain (${DEFAULT-VALUE}).")
    private int events = 300_000;

    @Option(names = "--rounds", description = "Rounds of each side, of which the median counts (${DEFAULT-VALUE}).")
    private int rounds = 5;

    @Option(names = "--batch-size", description = "Events of one read (${DEFAULT-VALUE}).")
    private int batchSize = 1000;

    @Option(names = "--in-flight", description = "In-flight limit (${DEFAULT-VALUE}).")
    private int inFlight = 10_000;

    @Override
    public Integer call() throws IOException, SQLException {
        held = output.size(held, 2000);
        events = output.size(events, 5000);
        rounds = output.size(rounds, 1);
        try (Server server = Server.start()) {
            Database free = server.create("free");
            Database blocked = server.create("blocked");
            Draining.register(free.dataSource(), subscriptions());
            block(blocked);
            for (Database database : List.of(free, blocked)) {
                database.record(events, new SampleEvents(1, 500, 5000));
                database.comeToRest();
            }
            measure(free, blocked);
        }
        return 0;
    }

    private List<Subscription> subscriptions() {
        List<Subscription> all = new ArrayList<>();
        for (int round = 0; round <= rounds; round++) {
            all.add(subscription(round));
        }
        return all;
    }

    private Subscription subscription(int round) {
        return Subscription.to("round-" + round, FailingSink.ofKey(STUCK))
                .lanes(1)
                .batchSize(batchSize)
                .inFlightLimit(inFlight)
                .retry(RetryPolicy.of(RetryPolicy.UNLIMITED, RETRY_DELAY))
                // With nothing but the stuck key to send, its failures would look like a receiver that is down.
                .breakerAfter(Integer.MAX_VALUE)
                .build();
    }

    /** Records the stuck key's events and lets every round's subscription run into them. */
    private void block(Database database) throws SQLException {
        Draining.register(database.dataSource(), subscriptions());
        SampleEvents samples = new SampleEvents(2, 500, 1);
        database.record(held + 1, () -> {
            Event event = samples.next();
            return Event.builder()
                    .source(event.source())
                    .type(event.type())
                    .key(STUCK)
                    .payload(event.payload())
                    .build();
        });
        for (int round = 0; round <= rounds; round++) {
            Subscription subscription = subscription(round);
            Draining.until(
                    database.dataSource(),
                    List.of(subscription),
                    1,
                    () -> database.number(WAITING, subscription.name()) > held);
            output.progress("%s holds %,d events", subscription.name(), held);
        }
    }

    private void measure(Database free, Database blocked) throws IOException {
        List<Double> freeRates = new ArrayList<>();
        List<Double> blockedRates = new ArrayList<>();
        for (int round = 0; round <= rounds; round++) {
            boolean freeFirst = round % 2 == 0;
            double first = rate(freeFirst ? free : blocked, round);
            double second = rate(freeFirst ? blocked : free, round);
            double freeRate = freeFirst ? first : second;
            double blockedRate = freeFirst ? second : first;
            output.progress(
                    "%s: %,.0f events/s beside a stuck key, %,.0f without",
                    round == 0 ? "warm-up" : "round " + round, blockedRate, freeRate);
            if (round > 0) {
                freeRates.add(freeRate);
                blockedRates.add(blockedRate);
            }
        }
        report(freeRates, blockedRates);
    }

    private double rate(Database database, int round) {
        return events / Draining.seconds(database.dataSource(), List.of(subscription(round)), 1, events);
    }

    private void report(List<Double> freeRates, List<Double> blockedRates) throws IOException {
        double ratio = Figures.median(blockedRates) / Figures.median(freeRates);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("besideStuckKeyPerSecond", Figures.median(blockedRates));
        figures.put("withoutPerSecond", Figures.median(freeRates));
        figures.put("besideStuckKeyRounds", blockedRates);
        figures.put("withoutRounds", freeRates);
        figures.put("held", held);
        figures.put("events", events);
        figures.put("batchSize", batchSize);
        figures.put("inFlightLimit", inFlight);
        output.result(
                new Result("hold", ratio, figures),
                "%,.0f events/s beside a key that holds %,d events, %,.0f without it, ratio %.3f",
                Figures.median(blockedRates),
                held,
                Figures.median(freeRates),
                ratio);
    }
}
