package dev.posthorn.demo;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;

/** One run of the demo, from the start of the servers to the summary. */
final class DemoRun {

    private static final int PARTITIONS = 8;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration FOREVER = Duration.ofDays(10_000);
    private static final Duration LANES_SHARED = Duration.ofSeconds(20);
    private static final Duration ALL_RECEIVED = Duration.ofSeconds(30);

    private final Settings settings;
    private final Screen screen;
    private final StopSignal stop;
    private final String run = UUID.randomUUID().toString();
    private final Ledger ledger = new Ledger();
    private final Queue<String> troubles = new ConcurrentLinkedQueue<>();
    private final List<RelayInstance> relays = new ArrayList<>();

    DemoRun(Settings settings, Screen screen, StopSignal stop) {
        this.settings = settings;
        this.screen = screen;
        this.stop = stop;
    }

    /** Runs it to its end; whether it went as promised. */
    boolean run() throws InterruptedException {
        try (Workplace workplace = Workplace.open(settings.data());
                EmbeddedPostgres postgres = startPostgres(workplace);
                EmbeddedKafka kafka = startKafka(workplace)) {
            consumeOrders(postgres, kafka);
            return summarize();
        }
    }

    private EmbeddedPostgres startPostgres(Workplace workplace) {
        screen.say("Starting PostgreSQL …");
        EmbeddedPostgres postgres =
                EmbeddedPostgres.builder().dataDirectory(workplace.postgres()).start();
        new Schema(SchemaName.DEFAULT).install(postgres.dataSource());
        return postgres;
    }

    private EmbeddedKafka startKafka(Workplace workplace) {
        screen.say("Starting Kafka …");
        EmbeddedKafka kafka =
                EmbeddedKafka.builder().logDirectory(workplace.kafka()).start();
        if (!topicExists(kafka)) {
            kafka.createTopic(OrderConsumer.TOPIC, PARTITIONS);
        }
        return kafka;
    }

    private static boolean topicExists(EmbeddedKafka kafka) {
        try (Admin admin = kafka.admin()) {
            return admin.listTopics().names().get().contains(OrderConsumer.TOPIC);
        } catch (ExecutionException e) {
            throw new IllegalStateException("Kafka does not tell its topics: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while asking Kafka for its topics", e);
        }
    }

    private void consumeOrders(EmbeddedPostgres postgres, EmbeddedKafka kafka) throws InterruptedException {
        OrderConsumer consumer = OrderConsumer.start(kafka.bootstrapServers(), run, ledger, troubles::add);
        try {
            relayOrders(postgres, kafka);
        } finally {
            consumer.stop();
        }
    }

    private void relayOrders(EmbeddedPostgres postgres, EmbeddedKafka kafka) throws InterruptedException {
        try {
            startRelays(postgres, kafka);
            recordOrders(postgres);
            awaitDelivery();
        } finally {
            stopRelays();
        }
    }

    private void startRelays(EmbeddedPostgres postgres, EmbeddedKafka kafka) throws InterruptedException {
        int count = settings.instances();
        screen.say("Starting %d relay process%s …", count, count == 1 ? "" : "es");
        for (int i = 1; i <= count; i++) {
            relays.add(RelayInstance.start("relay-" + i, postgres, kafka, settings.lanes(), troubles::add));
        }
        int working = Math.min(count, settings.lanes());
        long giveUpAt = System.nanoTime() + LANES_SHARED.toNanos();
        while (relays.stream().filter(RelayInstance::hasLane).count() < working
                && goesOn()
                && System.nanoTime() < giveUpAt) {
            stop.await(Duration.ofMillis(20));
        }
    }

    private void recordOrders(EmbeddedPostgres postgres) throws InterruptedException {
        Duration duration = settings.duration();
        screen.say(
                "Recording %,d events/s of %,d customers %s …",
                settings.rate(), settings.keys(), duration == null ? "until Ctrl-C" : "for " + seconds(duration));
        OrderService service = OrderService.start(postgres.dataSource(), settings, run, ledger, troubles::add);
        try {
            showStatusFor(duration == null ? FOREVER : duration);
        } finally {
            service.stop();
        }
    }

    private void showStatusFor(Duration duration) throws InterruptedException {
        long endAt = System.nanoTime() + duration.toNanos();
        var rate = new Rate();
        while (goesOn() && System.nanoTime() < endAt) {
            stop.await(Duration.ofNanos(Math.min(SECOND.toNanos(), Math.max(0, endAt - System.nanoTime()))));
            Ledger.Tally tally = ledger.tally();
            screen.status(tally, rate.next(tally.received()));
        }
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }

    private boolean goesOn() {
        return !stop.isAsked() && troubles.isEmpty();
    }

    private void awaitDelivery() throws InterruptedException {
        screen.say(
                "The order service has stopped; waiting until everything is received, %d s at most …",
                ALL_RECEIVED.toSeconds());
        long giveUpAt = System.nanoTime() + ALL_RECEIVED.toNanos();
        while (!ledger.isComplete() && System.nanoTime() < giveUpAt) {
            Thread.sleep(20);
        }
    }

    /** All at once, so that none takes over the lanes of another on its way out. */
    private void stopRelays() throws InterruptedException {
        relays.forEach(RelayInstance::askToStop);
        for (RelayInstance relay : relays) {
            relay.stop();
        }
    }

    private boolean summarize() {
        Map<String, Long> deliveries = new LinkedHashMap<>();
        relays.forEach(relay -> deliveries.put(relay.name(), relay.delivered()));
        Ledger.Tally tally = ledger.tally();
        Verdict verdict = Verdict.of(tally, deliveries, troubles, settings);
        screen.summary(tally, deliveries, verdict);
        return verdict.isGood();
    }

    /** How fast a counter grows from one look to the next. */
    private static final class Rate {

        private long before;
        private long lookedAt = System.nanoTime();

        double next(long count) {
            long now = System.nanoTime();
            double perSecond = (count - before) * 1e9 / Math.max(1, now - lookedAt);
            before = count;
            lookedAt = now;
            return perSecond;
        }
    }
}
