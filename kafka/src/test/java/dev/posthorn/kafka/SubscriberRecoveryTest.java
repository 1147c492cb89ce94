package dev.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.DeadLetter;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.deadletter.DeadLetters;
import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.event.Event;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.replay.Replays;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.status.EventStatuses;
import dev.posthorn.status.Status;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** One subscriber of two cannot take an event, an operator finds it, and it is delivered when the subscriber is back. */
class SubscriberRecoveryTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Test
    void anExhaustedEventIsFoundReplayedAndDeliveredAndTheOtherSubscriberNeverNotices() throws Exception {
        OutboxDatabase database = OutboxDatabase.create();
        DeadLetters letters = new DeadLetters(database.dataSource(), SchemaName.DEFAULT);
        Replays replays = new Replays(database.dataSource(), SchemaName.DEFAULT);
        RecordingSink billing = RecordingSink.oneAtATime();
        billing.answering(event -> event.seq() == 3
                ? new Outcome.Retry(ErrorClass.SERVER_ERROR, "status 500: ledger 77 is closed")
                : Outcome.DELIVERED);
        List<Event> events =
                List.of(0, 1, 2, 3, 4).stream().map(OutboxDatabase::numbered).toList();
        Event failing = events.get(2);
        EmbeddedKafka kafka = SteadyKafka.shared();
        kafka.createTopic("shop.events", 1);
        try (Relay relay = start(database, kafka, billing)) {
            database.record(events);
            relay.wake();
            await().atMost(PATIENCE)
                    .until(() -> status(database, failing)
                            .equals(Map.of("billing", Status.FAILED, "kafka", Status.DELIVERED)));

            List<DeadLetter> found = letters.find(DeadLetterQuery.builder()
                            .subscription("billing")
                            .errorMessage("LEDGER 77")
                            .build())
                    .letters();
            assertThat(found).singleElement().satisfies(letter -> {
                assertThat(letter.eventId()).isEqualTo(failing.id());
                assertThat(letter.attempts()).isEqualTo(3);
            });
            assertThat(letters.find(DeadLetterQuery.builder()
                                    .subscription("kafka")
                                    .build())
                            .letters())
                    .isEmpty();

            billing.answering(event -> Outcome.DELIVERED);
            replays.start(ReplayRequest.ofDeadLetter(found.get(0).id()).build(), Actor.named("ann"));
            await().atMost(PATIENCE)
                    .until(() -> status(database, failing)
                            .equals(Map.of("billing", Status.DELIVERED, "kafka", Status.DELIVERED)));
        }
        assertThat(database.deadLetters()).isEmpty();
        assertThat(database.waiting()).isZero();
        assertThat(TopicContent.numbersByKey(kafka.bootstrapServers(), "shop.events"))
                .as("the other subscriber got each event once")
                .isEqualTo(Map.of(OutboxDatabase.KEY, List.of(0, 1, 2, 3, 4)));
        assertThat(billing.receivedSeqs()).startsWith(1L, 2L, 3L, 3L, 3L).endsWith(4L, 5L, 3L);
    }

    private static Relay start(OutboxDatabase database, EmbeddedKafka kafka, RecordingSink billing) {
        return Relay.builder(database.dataSource())
                .subscribe(Subscription.to(
                                "kafka",
                                KafkaSink.builder(kafka.bootstrapServers())
                                        .topic("shop.events")
                                        .build())
                        .timeout(RelayRun.TIMEOUT)
                        .build())
                .subscribe(Subscription.to("billing", billing)
                        .retry(RetryPolicy.of(3, Duration.ofMillis(200)))
                        .build())
                .start();
    }

    private static Map<String, Status> status(OutboxDatabase database, Event event) {
        return new EventStatuses(database.dataSource(), SchemaName.DEFAULT)
                .of(event.id()).orElseThrow().subscriptions().stream()
                        .collect(java.util.stream.Collectors.toMap(s -> s.subscription(), s -> s.status()));
    }
}
