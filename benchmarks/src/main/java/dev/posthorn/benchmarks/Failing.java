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

/** Whether keys that are well notice those beside them that fail, whenever they are sent. */
@Command(
        name = "failing",
        mixinStandardHelpOptions = true,
        description =
                "Drain a backlog of which 1 %%, 10 %% and 50 %% of the keys fail, against the same drain with none:"
                        + " events a second of the keys that are well.")
final class Failing implements Callable<Integer> {

    private static final List<Integer> PERCENTS = List.of(0, 1, 10, 50);

    @Mixin
    private final Output output = new Output();

    @Option(names = "--events", description = "Events of the backlog (${DEFAULT-VALUE}).")
    private int events = 40_000;

    @Option(names = "--keys", description = "Different keys (${DEFAULT-VALUE}).")
    private int keys = 1_000_000;

    @Option(names = "--rounds", description = "Rounds of each share, of which the median counts (${DEFAULT-VALUE}).")
    private int rounds = 5;

    @Option(
            names = "--receiver-ms",
            description = "How long the receiver takes for each of its 64 requests at a time; 0 means that it costs"
                    + " nothing (${DEFAULT-VALUE}).")
    private int receiverMillis = 0;

    @Option(names = "--lanes", description = "Lanes of the subscription (${DEFAULT-VALUE}).")
    private int lanes = 1;

    @Option(names = "--in-flight", description = "In-flight limit (${DEFAULT-VALUE}).")
    private int inFlight = 10_000;

    /** How many events are of keys that are well at each share. */
    private final Map<Integer, Integer> healthy = new LinkedHashMap<>();

    @Override
    public Integer call() throws IOException, SQLException {
        events = output.size(events, 5000);
        rounds = output.size(rounds, 1);
        try (Server server = Server.start()) {
            Database database = server.create("failing");
            SampleEvents samples = new SampleEvents(1, 500, keys);
            database.record(events, () -> counted(samples.next()));
            database.comeToRest();
            measure(database);
        }
        return 0;
    }

    private Event counted(Event event) {
        for (int percent : PERCENTS) {
            healthy.merge(percent, FailingSink.isAmong(percent, event) ? 0 : 1, Integer::sum);
        }
        return event;
    }

    private void measure(Database database) throws IOException {
        Map<Integer, List<Double>> rates = new LinkedHashMap<>();
        for (int round = 0; round <= rounds; round++) {
            for (int percent : PERCENTS) {
                double rate = rate(database, round, percent);
                output.progress(
                        "%s: %,.0f events/s beside %d %% that fail",
                        round == 0 ? "warm-up" : "round " + round, rate, percent);
                if (round > 0) {
                    rates.computeIfAbsent(percent, p -> new ArrayList<>()).add(rate);
                }
            }
        }
        report(rates);
    }

    private double rate(Database database, int round, int percent) {
        FailingSink sink = FailingSink.ofPercent(percent, Duration.ofMillis(receiverMillis));
        Subscription subscription = Subscription.to("of-" + percent + "-" + round, sink)
                .fromBeginning()
                .lanes(lanes)
                .inFlightLimit(inFlight)
                .retry(RetryPolicy.of(RetryPolicy.UNLIMITED, Duration.ofSeconds(30)))
                .build();
        int count = healthy.getOrDefault(percent, 0);
        return count / Draining.seconds(database.dataSource(), List.of(subscription), 1, count);
    }

    private void report(Map<Integer, List<Double>> rates) throws IOException {
        double alone = Figures.median(rates.getOrDefault(0, List.of()));
        Map<String, Object> figures = new LinkedHashMap<>();
        StringBuilder text = new StringBuilder("healthy events/s: %,.0f beside none that fail".formatted(alone));
        double ratio = 1;
        for (Map.Entry<Integer, List<Double>> each : rates.entrySet()) {
            double median = Figures.median(each.getValue());
            ratio = median / alone;
            figures.put("perSecondBeside" + each.getKey(), median);
            figures.put("ratioBeside" + each.getKey(), ratio);
            figures.put("roundsBeside" + each.getKey(), each.getValue());
            if (each.getKey() > 0) {
                text.append(", %,.0f beside %d %% (%.3f)".formatted(median, each.getKey(), ratio));
            }
        }
        figures.put("events", events);
        figures.put("keys", keys);
        figures.put("receiverMillis", receiverMillis);
        figures.put("lanes", lanes);
        figures.put("inFlightLimit", inFlight);
        output.result(new Result("failing", ratio, figures), "%s", text);
    }
}
