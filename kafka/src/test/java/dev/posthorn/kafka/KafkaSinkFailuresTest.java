package dev.posthorn.kafka;

import static dev.posthorn.kafka.OutboxDatabase.event;
import static dev.posthorn.kafka.OutboxDatabase.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.event.Event;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.AfterDeadLetter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each failure strikes in the middle of a pipelined run of one key. */
@Tag("slow")
class KafkaSinkFailuresTest {

    private static final int EVENTS = 2000;
    private static final int BAD = 1000;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static EmbeddedKafka kafka;
    private static int topics;

    private OutboxDatabase database;
    private String topic;

    @BeforeAll
    static void startKafka() {
        kafka = EmbeddedKafka.builder()
                .setting("auto.create.topics.enable", "false")
                .start();
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    @BeforeEach
    void prepare() throws Exception {
        database = OutboxDatabase.create();
        topic = "orders-" + ++topics;
    }

    @Test
    void anEventOverTheProducersLimitIsADeadLetterAndItsKeyGoesOn() {
        kafka.createTopic(topic, 4);
        record(run(BAD, event(BAD, "order.placed", noise(40_000))));

        try (RelayRun run = RelayRun.start(
                database, small().setting("max.request.size", "20000").build())) {
            run.awaitDelivered(EVENTS - 1);
            awaitDeadLetter("too-large", "20000", "max.request.size", topic);

            assertThat(run.sink().failures()).singleElement().isInstanceOf(Outcome.Reject.class);
            assertThat(run.overtaken()).isZero();
        }
        assertThat(numbers()).isEqualTo(allBut(BAD));
    }

    @Test
    void anEventOverTheTopicsLimitIsADeadLetterThatArrivesWhenItIsReplayed() throws Exception {
        kafka.createTopic(topic, 4, Map.of("max.message.bytes", "10000"));
        record(run(BAD, event(BAD, "order.placed", noise(40_000))));

        try (RelayRun run = RelayRun.start(database, small().build())) {
            run.awaitDelivered(EVENTS - 1);
            awaitDeadLetter("too-large", "max.message.bytes", topic);
            assertThat(run.sink().failures()).singleElement().isInstanceOf(Outcome.Reject.class);
            assertThat(run.overtaken()).isZero();

            allow(100_000);
            await().atMost(PATIENCE).until(this::isReplayed);
        }
        List<Integer> expected = allBut(BAD);
        expected.add(BAD);
        assertThat(numbers()).isEqualTo(expected);
    }

    /** A broker that has not heard of a producer yet takes its second batch although the first has failed. */
    @Test
    void nothingOvertakesTheVeryFirstEventOfAChannel() {
        kafka.createTopic(topic, 1, Map.of("max.message.bytes", "10000"));
        record(run(0, event(0, "order.placed", noise(40_000))));

        try (RelayRun run =
                RelayRun.start(database, small().build(), settings -> settings.afterDeadLetter(AfterDeadLetter.HOLD))) {
            await().atMost(PATIENCE).until(() -> database.waiting("HELD") == EVENTS - 1);

            assertThat(database.deadLetters())
                    .singleElement()
                    .satisfies(letter -> assertThat(letter.holdsKey()).isTrue());
            assertThat(run.overtaken()).isZero();
        }
        assertThat(numbers()).isEmpty();
    }

    @Test
    void anEventForACompactedTopicNeedsAKey() {
        kafka.createTopic(topic, 1, Map.of("cleanup.policy", "compact"));
        Event keyless =
                Event.builder().source("shop").type("order.placed").json("1000").build();
        record(run(BAD, keyless));

        try (RelayRun run = RelayRun.start(database, small().build())) {
            run.awaitDelivered(EVENTS - 1);
            awaitDeadLetter("invalid", topic);

            assertThat(run.overtaken()).isZero();
        }
        assertThat(numbers()).isEqualTo(allBut(BAD));
    }

    @Test
    void aMissingTopicHoldsTheLaneUntilSomebodyCreatesIt() {
        kafka.createTopic(topic, 4);
        String missing = topic + "-missing";
        record(run(BAD, event(BAD, "order.lost", "")));

        KafkaSink sink = small().topicFor("order.lost", missing).build();
        try (RelayRun run = RelayRun.start(database, sink, settings -> settings.timeout(Duration.ofSeconds(10)))) {
            run.awaitOpened(3);
            run.awaitDelivered(BAD);

            assertThat(run.delivered()).isEqualTo(BAD);
            assertThat(numbers()).isEqualTo(range(0, BAD));
            assertThat(run.sink().failures())
                    .allSatisfy(outcome -> assertThat(outcome)
                            .isInstanceOf(Outcome.Unavailable.class)
                            .asString()
                            .contains("'" + missing + "' cannot be found", "create it"))
                    .extracting(Outcome.Failure::errorClass)
                    .containsOnly(ErrorClass.REFUSED);

            kafka.createTopic(missing, 1);
            run.awaitDelivered(EVENTS);
            assertThat(run.overtaken()).isZero();
        }
        assertThat(numbers()).isEqualTo(allBut(BAD));
        assertThat(TopicContent.numbers(kafka.bootstrapServers(), missing)).containsExactly(BAD);
    }

    @Test
    void everythingArrivesThoughTheBrokerRestartsUnderLoad() throws Exception {
        kafka.createTopic(topic, 4);
        Load load = Load.on(database);
        try (RelayRun run = RelayRun.startImpatient(database, sink().build())) {
            run.awaitDelivered(1000);

            kafka.stop();
            run.awaitOpened(2);
            kafka.start();

            int recorded = load.end();
            run.awaitDelivered(recorded);
            assertThat(TopicContent.firstNumbers(kafka.bootstrapServers(), topic))
                    .isEqualTo(range(0, recorded));
            assertThat(run.overtaken()).isZero();
        }
    }

    /** Small batches, so that many are on their way at once. */
    private KafkaSink.Builder small() {
        return sink().setting("batch.size", "4096");
    }

    private KafkaSink.Builder sink() {
        return KafkaSink.builder(kafka.bootstrapServers()).topic(topic);
    }

    private void awaitDeadLetter(String errorClass, String... inMessage) {
        await().atMost(PATIENCE).until(() -> !database.deadLetters().isEmpty());
        assertThat(database.deadLetters()).singleElement().satisfies(letter -> {
            assertThat(letter.number()).isEqualTo(BAD);
            assertThat(letter.errorClass()).isEqualTo(errorClass);
            assertThat(letter.message()).contains(inMessage);
        });
    }

    private void allow(int bytes) throws Exception {
        try (var admin = kafka.admin()) {
            var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
            var entry = new ConfigEntry("max.message.bytes", Integer.toString(bytes));
            admin.incrementalAlterConfigs(Map.of(resource, List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
    }

    /** Replays again what is refused: the broker hears of the new limit a moment after it was set. */
    private boolean isReplayed() {
        if (database.number("SELECT count(*) FROM posthorn.replay WHERE ended_at IS NULL") > 0) {
            return false;
        }
        if (database.deadLetters().isEmpty()) {
            return true;
        }
        database.replayAll();
        return false;
    }

    private void record(List<Event> events) {
        database.record(events);
    }

    private List<Integer> numbers() {
        return TopicContent.numbers(kafka.bootstrapServers(), topic);
    }

    /** A run of numbered events, one of them replaced. */
    private static List<Event> run(int bad, Event instead) {
        return IntStream.range(0, EVENTS)
                .mapToObj(number -> number == bad ? instead : numbered(number))
                .toList();
    }

    private static List<Integer> range(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    private static List<Integer> allBut(int number) {
        List<Integer> others = new ArrayList<>(range(0, EVENTS));
        others.remove(Integer.valueOf(number));
        return others;
    }

    /** Text that no compression makes much smaller. */
    static String noise(int length) {
        return new Random(7)
                .ints(length, '!', '~')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
