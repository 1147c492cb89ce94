package dev.posthorn.benchmarks.subscriptions;

import dev.posthorn.benchmarks.http.WebhookReceiver;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.EventJson;
import dev.posthorn.benchmarks.testbed.HubProcess;
import dev.posthorn.benchmarks.testbed.RestCalls;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import dev.posthorn.benchmarks.testbed.Writers;
import dev.posthorn.testkit.LinuxProcess;
import dev.posthorn.testkit.OwnPostgres;
import dev.posthorn.testkit.TemporaryDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** A hub with its own PostgreSQL and many subscriptions, the receiver of all of them, and what is published. */
final class CrowdedHub implements AutoCloseable {

    /** As docs/scale.md says for thousands of subscriptions and little memory. */
    private static final List<String> JAVA = List.of("-Xmx512m", "-XX:+UseParallelGC");

    /** Each is good for some 28,000 connections. */
    private static final int PORTS = 8;

    /** Those of as many events that one publishes after the other differ in their keys. */
    private static final int KEYS = 1_000_000;

    private static final int PAYLOAD_BYTES = 200;
    private static final Duration LONGEST_END = Duration.ofMinutes(2);

    private final TemporaryDirectory directory = TemporaryDirectory.create("posthorn-bench-");
    private final Path data = directory.path().resolve("data");
    private final OwnPostgres postgres = new OwnPostgres(data);
    private final Received received = new Received();
    private final WebhookReceiver receiver = WebhookReceiver.start(received, PORTS);
    private final SplittableRandom random = new SplittableRandom(1);
    private final Population population;
    private final Duration longestDelivery;
    private HubProcess hub;
    private RestCalls calls;

    /**
     * @param count how many subscriptions there will be
     * @param longestDelivery how long what was published may take to arrive
     */
    CrowdedHub(int count, Duration longestDelivery) throws Exception {
        this.population = new Population(count, receiver.ports());
        this.longestDelivery = longestDelivery;
        try {
            this.hub = process();
        } catch (Exception e) {
            tidyUp();
            throw e;
        }
        this.calls = new RestCalls(hub.rest());
        try {
            hub.awaitReady();
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private HubProcess process() throws Exception {
        return HubProcess.onItsOwn(data, log(), JAVA);
    }

    Path log() {
        return directory.path().resolve("hub.log");
    }

    Population population() {
        return population;
    }

    RestCalls calls() {
        return calls;
    }

    SplittableRandom random() {
        return random;
    }

    /** The process of the hub; its PostgreSQL and all sessions of that are its children. */
    LinuxProcess system() {
        return new LinuxProcess(hub.pid());
    }

    Database database() throws IOException {
        return new Database(postgres.dataSource());
    }

    /** Makes ready for events that so many subscriptions want each. */
    Deliveries expect(String what, int events, int each, Wish wish) {
        return received.expect(what, events, each, wish);
    }

    void await(Deliveries deliveries) throws InterruptedException {
        deliveries.await(longestDelivery);
    }

    /** Publishes an event at its time, unless those before it have taken so long that there is no end in sight. */
    void publish(byte[] event, long due) throws IOException, InterruptedException {
        Writers.awaitTime(due);
        if (System.nanoTime() - due > longestDelivery.toNanos()) {
            throw new IllegalStateException(
                    "the hub takes events more than " + longestDelivery.toSeconds() + " s after they are due");
        }
        calls.publish(event);
    }

    /** Makes events of a phase, of the types that they have by their numbers in it. */
    List<byte[]> events(Deliveries phase, IntFunction<String> types) {
        SampleEvents samples = new SampleEvents(random.nextLong(), PAYLOAD_BYTES, KEYS);
        return IntStream.range(0, phase.events())
                .mapToObj(i -> EventJson.one(
                        samples.builder(phase.first() + i).type(types.apply(i)).build()))
                .toList();
    }

    /** The same, so many in an array. */
    List<byte[]> batches(Deliveries phase, String type, int size) {
        SampleEvents samples = new SampleEvents(random.nextLong(), PAYLOAD_BYTES, KEYS);
        return IntStream.iterate(0, from -> from < phase.events(), from -> from + size)
                .mapToObj(from -> EventJson.array(IntStream.range(from, Math.min(phase.events(), from + size))
                        .mapToObj(i ->
                                samples.builder(phase.first() + i).type(type).build())))
                .toList();
    }

    /** Publishes one that all want, and waits until the last has it; gives the milliseconds that this took. */
    double awaitAll(String what) throws IOException, InterruptedException {
        Deliveries one = expect(what, 1, population.count(), Wish.EVERYBODY);
        byte[] event = events(one, i -> Population.ALL).get(0);
        long from = System.nanoTime();
        calls.publish(event);
        await(one);
        return (one.lastAt() - from) / 1e6;
    }

    /** Ends the hub as an operator would. */
    void stop() throws InterruptedException {
        if (!hub.stop(LONGEST_END)) {
            throw new IllegalStateException("the hub has not ended " + LONGEST_END + " after it was asked to");
        }
    }

    /** On the same data; returns as soon as it listens. */
    void startAgain() throws Exception {
        hub.close();
        hub = process();
        calls = new RestCalls(hub.rest());
    }

    @Override
    public void close() throws IOException {
        hub.close();
        tidyUp();
    }

    private void tidyUp() throws IOException {
        receiver.close();
        postgres.killWhatIsLeft();
        directory.close();
    }
}
