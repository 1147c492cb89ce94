package dev.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.event.Event;
import dev.posthorn.subscription.AfterDeadLetter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Ten thousand events, one of which Kafka never takes: it is set aside alone. Its lane's producer ends with it, so that
 * what was in flight beside it may come twice, and first in order all the same.
 */
class PoisonTest {

    private static final int EVENTS = 10_000;
    private static final int KEYS = 50;
    private static final int POISON = 4_321;
    private static final int LANES = 4;
    private static final int IN_FLIGHT = 1_000;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final EmbeddedKafka KAFKA = SteadyKafka.shared();
    private static int runs;

    private OutboxDatabase database;
    private String aggregateType;

    @BeforeEach
    void prepare() throws Exception {
        database = OutboxDatabase.create();
        aggregateType = "order" + ++runs;
        KAFKA.createTopic(topic(), 4, Map.of("max.message.bytes", "20000"));
    }

    @Test
    void aPoisonedEventIsADeadLetterAndItsKeyGoesOn() {
        record(ordinary(POISON).json(POISON + " " + KafkaSinkFailuresTest.noise(60_000)));

        try (RelayRun run = start(AfterDeadLetter.CONTINUE)) {
            run.awaitDelivered(EVENTS - 1);
            awaitDeadLetter("too-large", false, "max.message.bytes", topic());
            assertThat(run.overtaken()).isZero();
        }
        Map<String, List<Integer>> expected = numbersByKey(EVENTS);
        expected.getOrDefault(key(POISON), List.of()).remove(Integer.valueOf(POISON));
        assertArrived(expected);
        assertThat(database.waiting()).isZero();
    }

    @Test
    void aPoisonedEventHoldsItsKeyAndNoOther() {
        record(ordinary(POISON).aggregateType("no/such/topic").json(POISON + " "));

        try (RelayRun run = start(AfterDeadLetter.HOLD)) {
            int held = EVENTS / KEYS - (POISON / KEYS + 1);
            await().atMost(PATIENCE).until(() -> database.waiting("HELD") == held);
            run.awaitDelivered(EVENTS - 1 - held);
            awaitDeadLetter("invalid", true, "'no/such/topic.events' is impossible");
            assertThat(run.overtaken()).isZero();
            assertThat(database.waiting()).isEqualTo(held);
        }
        assertThat(database.query("SELECT DISTINCT key FROM posthorn.delivery", row -> row.getString(1)))
                .containsExactly(key(POISON));
        Map<String, List<Integer>> expected = numbersByKey(EVENTS);
        expected.put(key(POISON), numbersByKey(POISON).getOrDefault(key(POISON), List.of()));
        assertArrived(expected);
    }

    private RelayRun start(AfterDeadLetter afterDeadLetter) {
        KafkaSink sink = KafkaSink.builder(KAFKA.bootstrapServers()).build();
        return RelayRun.start(
                database,
                sink,
                settings -> settings.lanes(LANES).inFlightLimit(IN_FLIGHT).afterDeadLetter(afterDeadLetter));
    }

    private void awaitDeadLetter(String errorClass, boolean holdsKey, String... inMessage) {
        await().atMost(PATIENCE).until(() -> !database.deadLetters().isEmpty());
        assertThat(database.deadLetters()).singleElement().satisfies(letter -> {
            assertThat(letter.number()).isEqualTo(POISON);
            assertThat(letter.errorClass()).isEqualTo(errorClass);
            assertThat(letter.message()).contains(inMessage);
            assertThat(letter.holdsKey()).isEqualTo(holdsKey);
        });
    }

    private void record(Event.Builder poison) {
        List<Event> events = new ArrayList<>();
        for (int number = 0; number < EVENTS; number++) {
            events.add(
                    number == POISON
                            ? poison.build()
                            : ordinary(number).json(number + " ").build());
        }
        database.record(events);
    }

    private Event.Builder ordinary(int number) {
        return Event.builder()
                .source("shop")
                .type("order.placed")
                .aggregateType(aggregateType)
                .key(key(number));
    }

    private static String key(int number) {
        return "order-" + number % KEYS;
    }

    private String topic() {
        return aggregateType + ".events";
    }

    private void assertArrived(Map<String, List<Integer>> expected) {
        Map<String, List<Integer>> arrived = TopicContent.numbersByKey(KAFKA.bootstrapServers(), topic());
        int all = size(arrived);
        arrived.replaceAll((key, numbers) -> numbers.stream().distinct().toList());
        assertThat(arrived).isEqualTo(expected);
        assertThat(all - size(expected)).as("repetitions").isLessThanOrEqualTo(IN_FLIGHT);
    }

    private static int size(Map<String, List<Integer>> byKey) {
        return byKey.values().stream().mapToInt(List::size).sum();
    }

    /** The numbers below this one, in order. */
    private static Map<String, List<Integer>> numbersByKey(int end) {
        Map<String, List<Integer>> byKey = new TreeMap<>();
        for (int number = 0; number < end; number++) {
            byKey.computeIfAbsent(key(number), key -> new ArrayList<>()).add(number);
        }
        return byKey;
    }
}
