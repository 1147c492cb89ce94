package dev.posthorn.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.Commands;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.deadletter.DeadLetters;
import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.replay.Replays;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What people see while real lanes work. */
class LaneStatusTest {

    private static final Duration TTL = Duration.ofSeconds(30);

    private final TestDatabase database = TestDatabase.create();
    private final SettableClock clock =
            SettableClock.at(Instant.parse("2026-01-01T00:00:00Z"), database.dataSource(), SchemaName.DEFAULT);
    private final EventStatuses statuses = new EventStatuses(database.dataSource(), SchemaName.DEFAULT);
    private final Gauges gauges = new Gauges(database.dataSource(), SchemaName.DEFAULT);
    private final DeadLetters letters = new DeadLetters(database.dataSource(), SchemaName.DEFAULT);
    private final Commands commands = new Commands(database.dataSource(), SchemaName.DEFAULT);
    private final RecordingSink sink = RecordingSink.oneAtATime();

    private SteppedRelay start(UnaryOperator<Subscription.Builder> settings) {
        Subscription subscription = settings.apply(Subscription.to("billing", sink)
                        .lanes(1)
                        .retry(RetryPolicy.of(2, Duration.ofSeconds(10)).jitter(0)))
                .build();
        return SteppedRelay.of(
                        Relay.builder(database.dataSource())
                                .subscribe(subscription)
                                .instance("one")
                                .sessionTtl(TTL),
                        clock)
                .pass();
    }

    @Test
    void anEventThatGoesWellIsPendingSendingDelivered() {
        SteppedRelay relay = start(s -> s);
        UUID event = record("order.placed", "x");
        assertThat(status(event)).isEqualTo(Status.PENDING);
        sink.hold();
        // While a lane rides nobody writes what it has handed over; after a second without an answer it is off.
        relay.run(15);
        assertThat(status(event)).isEqualTo(Status.SENDING);
        clock.advance(Duration.ofSeconds(5));
        assertThat(statuses.stuckSending(Duration.ofSeconds(4))).hasSize(1);
        assertThat(statuses.stuckSending(Duration.ofSeconds(8))).isEmpty();
        sink.answerAll();
        relay.run(3);
        assertThat(status(event)).isEqualTo(Status.DELIVERED);
        // Receipts are written once a second.
        relay.run(10);
        assertThat(one(event).deliveredAt()).isAfter(Instant.parse("2026-01-01T00:00:05Z"));
        assertThat(statuses.stuckSending(Duration.ZERO.plusMillis(1))).isEmpty();
    }

    @Test
    void anEventThatFailsIsRetriedThenFailedThenReplayedAndOthersOfItsKeyAreHeld() {
        SteppedRelay relay = start(s -> s.afterDeadLetter(AfterDeadLetter.HOLD));
        sink.answering(event -> new Outcome.Retry(ErrorClass.SERVER_ERROR, "status 500"));
        UUID head = record("order.placed", "x");
        UUID next = record("order.placed", "x");
        relay.run(3);
        assertThat(one(head))
                .extracting(SubscriptionStatus::status, SubscriptionStatus::attempts)
                .containsExactly(Status.PENDING, 1);
        assertThat(one(head).nextAttemptAt()).isAfter(clock.instant().plusSeconds(9));
        assertThat(status(next)).isEqualTo(Status.HELD);
        assertThat(statuses.nearLastAttempt(1)).hasSize(1);
        assertThat(gauges.of("billing").held()).isOne();

        clock.advance(Duration.ofSeconds(10));
        relay.pass().run(5);
        assertThat(one(head))
                .extracting(SubscriptionStatus::status, SubscriptionStatus::attempts, SubscriptionStatus::errorMessage)
                .containsExactly(Status.FAILED, 2, "status 500");
        assertThat(gauges.of("billing").deadLetters()).isOne();

        sink.answering(event -> Outcome.DELIVERED);
        new Replays(database.dataSource(), SchemaName.DEFAULT)
                .start(ReplayRequest.ofDeadLetter(onlyLetter()).build(), Actor.named("ann"));
        clock.advance(Duration.ofSeconds(1));
        relay.pass().run(20);
        assertThat(status(head)).isEqualTo(Status.DELIVERED);
        assertThat(status(next)).isEqualTo(Status.DELIVERED);
        assertThat(gauges.of("billing").deadLetters()).isZero();
        assertThat(gauges.of("billing").held()).isZero();
    }

    @Test
    void aDiscardedEventIsDiscarded() {
        SteppedRelay relay = start(s -> s);
        sink.answering(event -> new Outcome.Reject("no"));
        UUID event = record("order.placed", "x");
        relay.run(3);
        assertThat(status(event)).isEqualTo(Status.FAILED);
        commands.discard(onlyLetter(), Actor.named("ann"), "a test order");
        clock.advance(Duration.ofSeconds(1));
        relay.run(5);
        assertThat(status(event)).isEqualTo(Status.DISCARDED);
    }

    @Test
    void aDeferredEventIsPendingUntilItsTime() {
        SteppedRelay relay = start(s -> s);
        Instant later = clock.instant().plusSeconds(15);
        Event deferred = Event.builder()
                .source("shop")
                .type("order.placed")
                .key("x")
                .json("{}")
                .deliverAt(later)
                .build();
        database.record(deferred);
        relay.run(3);
        assertThat(one(deferred.id()))
                .extracting(SubscriptionStatus::status, SubscriptionStatus::attempts, SubscriptionStatus::nextAttemptAt)
                .containsExactly(Status.PENDING, 0, later);
        clock.advance(Duration.ofSeconds(15));
        relay.pass().run(5);
        assertThat(status(deferred.id())).isEqualTo(Status.DELIVERED);
        assertThat(one(deferred.id()).deliveredAt()).as("exact").isAfterOrEqualTo(later);
    }

    @Test
    void theStatusIsAboutTheFilterThatWasInForce() {
        SteppedRelay old = start(s -> s.filter(Filter.types("order.*")));
        UUID orderBefore = record("order.placed", "x");
        UUID invoiceBefore = record("invoice.sent", "x");
        old.run(5);
        old.leave();
        SteppedRelay relay = start(s -> s.filter(Filter.types("invoice.*")));
        for (int i = 0; i < 5; i++) {
            relay.pass().run(3);
        }
        UUID orderAfter = record("order.placed", "x");
        UUID invoiceAfter = record("invoice.sent", "x");
        relay.run(5);
        assertThat(status(orderBefore)).isEqualTo(Status.DELIVERED);
        assertThat(statuses.of(invoiceBefore).orElseThrow().subscriptions()).isEmpty();
        assertThat(statuses.of(orderAfter).orElseThrow().subscriptions()).isEmpty();
        assertThat(status(invoiceAfter)).isEqualTo(Status.DELIVERED);
    }

    @Test
    void aBreakerThatOpensIsSeen() {
        SteppedRelay relay = start(s -> s);
        sink.answering(event -> new Outcome.Unavailable("connection refused"));
        record("order.placed", "x");
        relay.run(5);
        assertThat(String.valueOf(gauges.of("billing").breaker())).contains("connection refused");
    }

    private UUID record(String type, String key) {
        Event event =
                Event.builder().source("shop").type(type).key(key).json("{}").build();
        database.record(event);
        return event.id();
    }

    private long onlyLetter() {
        return letters.find(DeadLetterQuery.OPEN).letters().get(0).id();
    }

    private Status status(UUID event) {
        return one(event).status();
    }

    private SubscriptionStatus one(UUID event) {
        return statuses.of(event).orElseThrow().subscriptions().get(0);
    }
}
