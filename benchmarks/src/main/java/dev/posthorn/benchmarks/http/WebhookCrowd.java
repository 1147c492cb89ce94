package dev.posthorn.benchmarks.http;

import dev.posthorn.benchmarks.harness.Comparison;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Output;
import dev.posthorn.benchmarks.harness.Percentiles;
import dev.posthorn.benchmarks.harness.Rounds;
import dev.posthorn.benchmarks.harness.Side;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.testbed.ChildProgram;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.http.Destinations;
import dev.posthorn.http.HttpSink;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/**
 * Whether many sinks of one process notice that some of them have receivers that misbehave in every way. The sinks alone,
 * without a relay: events go to one healthy sink after the other, as fast as answers come, and the others always have
 * requests under way. Compared are the healthy ones alone with the same beside the others.
 */
final class WebhookCrowd {

    private static final int UNDER_WAY = 64;
    private static final int UNDER_WAY_EACH = 4;
    private static final int TOP_UP_MILLIS = 250;
    private static final int EVENTS = 1000;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** So that some of them have their requests given up while it is measured. */
    private static final Duration TIMEOUT_OF_BAD = Duration.ofSeconds(2);

    private static final String RATE = "perSecond";
    private static final String P50 = "p50Millis";
    private static final String P99 = "p99Millis";

    @Option(names = "--sinks", description = "HTTP sinks of the crowd (${DEFAULT-VALUE}).")
    private int sinks = 1000;

    @Option(names = "--misbehaving", description = "Those of them that misbehave (${DEFAULT-VALUE}).")
    private int misbehaving = 50;

    @Option(names = "--crowd-seconds", description = "How long the crowd is measured (${DEFAULT-VALUE}).")
    private int seconds = 5;

    @Option(names = "--crowd-rounds", description = "Rounds with and without those that misbehave (${DEFAULT-VALUE}).")
    private int rounds = 3;

    /** What the healthy ones got. */
    record Crowd(Side healthy, Side besideBad) {

        double throughputRatio() {
            return besideBad.ratio(healthy, RATE);
        }

        double p99Ratio() {
            return besideBad.ratio(healthy, P99);
        }
    }

    /** @param size bytes of an event's payload */
    Crowd measure(int size, Output output) throws Exception {
        sinks = output.size(sinks, 40);
        misbehaving = output.size(misbehaving, 6);
        seconds = output.size(seconds, 1);
        SampleEvents samples = new SampleEvents(3, size, EVENTS);
        List<RecordedEvent> events = Stream.generate(samples::next)
                .limit(EVENTS)
                .map(event -> new RecordedEvent(1, event, Instant.EPOCH))
                .toList();
        Comparison comparison = new Comparison("crowd", output, new Rounds(rounds, 1));
        try (ChildProgram receiver = WebhookReceiver.startProcess()) {
            int port = Integer.parseInt(receiver.awaitLine("ready "));
            Side healthy = comparison.side("healthy", round -> alone(port, events));
            Side besideBad = comparison.side("besideBad", round -> besideBad(port, events));
            comparison.run();
            return new Crowd(healthy, besideBad);
        }
    }

    private Turn alone(int port, List<RecordedEvent> events) throws InterruptedException {
        return new Healthy(port, events).measure();
    }

    private Turn besideBad(int port, List<RecordedEvent> events) throws IOException, InterruptedException {
        try (BadReceivers receivers = new BadReceivers();
                Bad bad = new Bad(receivers, events)) {
            bad.start();
            return new Healthy(port, events).measure();
        }
    }

    private static Channel open(HttpSink.Builder sink, Duration timeout) {
        return sink.build().open("crowd/0", timeout);
    }

    /** The healthy sinks, each of which gets its event in turn. */
    private final class Healthy {

        private final List<RecordedEvent> events;
        private final List<Channel> channels;
        private final Semaphore free = new Semaphore(UNDER_WAY);
        private final AtomicInteger failed = new AtomicInteger();
        private final List<long[]> times = new ArrayList<>();

        Healthy(int port, List<RecordedEvent> events) {
            this.events = events;
            this.channels = IntStream.range(0, sinks - misbehaving)
                    .mapToObj(i -> open(WebhookReceiver.sink(port, "/" + i), TIMEOUT))
                    .toList();
        }

        /** Once round without being counted, so that each has its connection. */
        Turn measure() throws InterruptedException {
            try {
                for (int i = 0; i < channels.size(); i++) {
                    send(i, new long[2]);
                }
                long begun = System.nanoTime();
                long end = begun + TimeUnit.SECONDS.toNanos(seconds);
                for (int i = 0; System.nanoTime() - end < 0; i++) {
                    long[] time = new long[2];
                    times.add(time);
                    send(i, time);
                }
                free.acquire(UNDER_WAY);
                return turn((System.nanoTime() - begun) / 1e9);
            } finally {
                channels.forEach(Channel::close);
            }
        }

        private void send(int number, long[] time) throws InterruptedException {
            free.acquire();
            time[0] = System.nanoTime();
            channels.get(number % channels.size()).send(events.get(number % EVENTS), 1, outcome -> {
                time[1] = System.nanoTime();
                failed.addAndGet(outcome instanceof Outcome.Delivered ? 0 : 1);
                free.release();
            });
        }

        private Turn turn(double elapsed) {
            if (failed.get() > 0) {
                throw new IllegalStateException(failed + " deliveries to healthy receivers failed");
            }
            Percentiles percentiles =
                    Percentiles.between(IntStream.range(0, times.size()), i -> times.get(i)[0], i -> times.get(i)[1]);
            return Turn.of(RATE, times.size() / elapsed)
                    .and(P50, percentiles.p50())
                    .and(P99, percentiles.p99());
        }
    }

    /** The others, which always have some requests under way. */
    private final class Bad implements AutoCloseable {

        private final List<RecordedEvent> events;
        private final List<Channel> channels = new ArrayList<>();
        private final List<AtomicInteger> underWay = new ArrayList<>();
        private final Thread thread = new Thread(this::topUp, "bench-bad-sinks");

        Bad(BadReceivers receivers, List<RecordedEvent> events) {
            this.events = events;
            BadReceivers.Kind[] kinds = BadReceivers.Kind.values();
            for (int i = 0; i < misbehaving; i++) {
                HttpSink.Builder sink = HttpSink.builder(receivers.url(kinds[i % kinds.length]))
                        .destinations(Destinations.builder().allowLoopback().build());
                channels.add(open(sink, TIMEOUT_OF_BAD));
                underWay.add(new AtomicInteger());
            }
        }

        void start() {
            thread.setDaemon(true);
            thread.start();
        }

        private void topUp() {
            try {
                while (true) {
                    IntStream.range(0, channels.size()).forEach(this::topUp);
                    TimeUnit.MILLISECONDS.sleep(TOP_UP_MILLIS);
                }
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        }

        private void topUp(int number) {
            AtomicInteger own = underWay.get(number);
            while (own.get() < UNDER_WAY_EACH) {
                own.incrementAndGet();
                channels.get(number).send(events.get(number), 1, outcome -> own.decrementAndGet());
            }
        }

        @Override
        public void close() {
            thread.interrupt();
            channels.forEach(Channel::close);
        }
    }

    Figures figures(Crowd measured) {
        return new Figures()
                .put("throughputRatio", measured.throughputRatio())
                .put("p99Ratio", measured.p99Ratio())
                .put("healthy", figures(measured.healthy))
                .put("besideBad", figures(measured.besideBad))
                .put("sinks", sinks)
                .put("misbehaving", misbehaving)
                .put("seconds", seconds);
    }

    private static Figures figures(Side side) {
        return Figures.medians(side, RATE, P50, P99).put("rounds", side.turns(RATE));
    }
}
