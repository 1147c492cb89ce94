package dev.posthorn.relay;

import static dev.posthorn.relay.fixture.Instances.OPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.audit.AuditEntry;
import dev.posthorn.audit.AuditQuery;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Filter;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Reply;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What an operator does to subscriptions while instances serve them. */
class SubscriptionsTest {

    private final Instances instances = new Instances(RecordingSink.oneAtATime());
    private final Subscriptions subscriptions = instances.subscriptions();

    @Test
    void aPausedSubscriptionSettlesWhatWasSentAndSendsNothingMore() {
        SteppedRelay relay = instances.start("a", 1);
        instances.sink.hold();
        instances.database.record("k1");
        instances.database.record("k1");
        relay.run(2);
        subscriptions.pause("test", null, OPS);
        relay.pass();
        instances.database.record("k2");
        instances.sink.answerAll();
        relay.run(5);
        assertThat(instances.keys()).containsExactly("k1");
        assertThat(instances.database.number("SELECT seq FROM posthorn.lane_mark"))
                .isOne();
        instances.clock.advance(Duration.ofSeconds(1));
        assertThat(relay.lanes().get(0).step())
                .as("it does not keep its worker busy")
                .isPositive();

        subscriptions.resume("test", null, OPS);
        relay.pass().run(3);
        assertThat(instances.keys()).containsExactly("k1", "k1", "k2");
    }

    @Test
    void aReceiverThatWantsNoMorePausesItsSubscriptionAndNothingIsLost() {
        List<String> told = new ArrayList<>();
        instances.listener(new RelayListener() {
            @Override
            public void paused(String subscription, String reason) {
                told.add(subscription + ": " + reason);
            }
        });
        SteppedRelay relay = instances.start("a", s -> s.lanes(2).retry(RetryPolicy.of(1, Duration.ofSeconds(1))));
        instances.sink.answering(event -> new Outcome.Gone("410 Gone", new Reply(410, "no longer")));
        List.of("k1", "k2", "k3", "k4").forEach(instances.database::record);
        relay.run(5);
        assertThat(instances.stored().paused()).isTrue();
        assertThat(instances.stored().pauseReason()).isEqualTo("410 Gone");
        assertThat(told).containsExactly("test: 410 Gone");
        int sent = instances.keys().size();
        for (int i = 0; i < 20; i++) {
            relay.pass().run(2);
            instances.clock.advance(Duration.ofSeconds(1));
        }
        assertThat(instances.keys()).as("nothing is sent any more").hasSize(sent);

        instances.sink.answering(event -> Outcome.DELIVERED);
        subscriptions.resume("test", null, OPS);
        relay.pass().run(5);
        instances.clock.advance(Duration.ofSeconds(5));
        relay.pass().run(5);
        assertThat(instances.stored().pauseReason()).isNull();
        assertThat(instances.keys().subList(sent, instances.keys().size()))
                .containsExactlyInAnyOrder("k1", "k2", "k3", "k4");
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.dead_letter"))
                .isZero();
    }

    @Test
    void aPauseOutlivesTheInstance() {
        instances.start("a", 2).leave();
        subscriptions.pause("test", null, OPS);
        SteppedRelay next = instances.start("b", 2);
        instances.database.record("k");
        next.run(3);
        assertThat(instances.keys()).isEmpty();
    }

    @Test
    void whilePausedAChangeStaysPending() {
        SteppedRelay relay = instances.start("a", 2);
        relay.run(1);
        subscriptions.pause("test", null, OPS);
        SteppedRelay wider =
                instances.start("b", subscription -> subscription.lanes(3).filter(Filter.types("t.*")));
        changeOver(relay, wider);
        assertThat(instances.stored())
                .isEqualTo(new Subscriptions.Stored(
                        "test", 1, 2, Filter.ALL, true, null, new Subscriptions.Wanted(3, Filter.types("t.*"))));
        subscriptions.resume("test", null, OPS);
        changeOver(relay, wider);
        assertThat(instances.stored())
                .isEqualTo(new Subscriptions.Stored("test", 2, 3, Filter.types("t.*"), false, null, null));
    }

    @Test
    void aServedSubscriptionIsNotDeleted() {
        SteppedRelay relay = instances.start("busy-one", 2);
        refused(ErrorCode.CONFLICT, () -> subscriptions.delete("test", null, OPS))
                .hasMessage("subscription 'test' is served by instance busy-one; stop it, or take the subscription out"
                        + " of its settings, and delete then");
        relay.leave();
        subscriptions.delete("test", null, OPS);
        assertThat(subscriptions.list()).isEmpty();
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.lane"))
                .isZero();
    }

    @Test
    void aDeletedSubscriptionTakesItsAttemptsWithIt() {
        SteppedRelay relay = instances.start("a", 1);
        instances.sink.answering(event -> new Outcome.Reject(ErrorClass.REJECTED, "not like this"));
        instances.database.record("k");
        relay.run(5);
        relay.leave();
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.attempt"))
                .isOne();
        subscriptions.delete("test", null, OPS);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.attempt"))
                .isZero();
    }

    @Test
    void anInstanceThatWasNotHeardOfFindsItsSubscriptionDeletedAndMakesItAnew() {
        SteppedRelay silent = instances.start("silent", 1);
        instances.sink.hold();
        instances.database.record("lost with it");
        silent.run(1);
        Lane former = silent.lanes().get(0);
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        subscriptions.delete("test", null, OPS);
        instances.sink.answerAll();
        silent.run(1);
        assertThat(former.state()).isEqualTo(Lane.State.LOST);
        silent.pass().pass();
        instances.database.record("of the new one");
        silent.run(2);
        assertThat(instances.keys()).containsExactly("lost with it", "of the new one");
    }

    @Test
    void whatIsDoneToASubscriptionIsInTheAuditWithWhoAndWhy() {
        instances.start("a", 1).leave();
        subscriptions.pause("test", "the receiver moves", OPS);
        subscriptions.pause("test", "once more", OPS);
        subscriptions.resume("test", null, OPS);
        subscriptions.resume("test", "once more", OPS);
        subscriptions.delete("test", "retired", new Actor("ann", "request-1"));
        assertThat(audit())
                .as("what changed nothing is not there")
                .extracting(AuditEntry::actor, AuditEntry::act)
                .containsExactly(
                        tuple(new Actor("ann", "request-1"), act("subscription.delete", "retired")),
                        tuple(OPS, act("subscription.resume", null)),
                        tuple(OPS, act("subscription.pause", "the receiver moves")));
    }

    private static Act act(String action, @Nullable String reason) {
        return new Act(action, "subscription/test", Map.of(), null, reason);
    }

    private List<AuditEntry> audit() {
        return new Audit(instances.database.dataSource(), SchemaName.DEFAULT)
                .find(AuditQuery.ALL)
                .entries();
    }

    @Test
    void whatCannotBeWrittenDownIsNotDone() {
        instances.start("a", 1).leave();
        subscriptions.pause("test", null, OPS);
        instances.database.execute("ALTER TABLE posthorn.audit ADD CONSTRAINT full_disk CHECK (false) NOT VALID");
        List<ThrowingCallable> calls =
                List.of(() -> subscriptions.resume("test", null, OPS), () -> subscriptions.delete("test", null, OPS));
        for (ThrowingCallable call : calls) {
            refused(ErrorCode.DATABASE, call).hasMessageContaining("full_disk");
        }
        assertThat(instances.stored().paused()).isTrue();
    }

    @Test
    void aReasonThatCannotBeStoredIsRefused() {
        refused(ErrorCode.INVALID_REQUEST, () -> subscriptions.pause("test", "x".repeat(1_001), OPS))
                .hasMessage("reason has 1001 characters; the limit is 1000");
    }

    @Test
    void anUnknownNameIsToldSo() {
        List<ThrowingCallable> calls = List.of(
                () -> subscriptions.pause("nobody", null, OPS),
                () -> subscriptions.resume("nobody", null, OPS),
                () -> subscriptions.delete("nobody", null, OPS));
        for (ThrowingCallable call : calls) {
            refused(ErrorCode.NOT_FOUND, call).hasMessage("there is no subscription named 'nobody' in schema posthorn");
        }
    }

    private static AbstractThrowableAssert<?, ?> refused(ErrorCode code, ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private static void changeOver(SteppedRelay... relays) {
        for (int i = 0; i < 6; i++) {
            for (SteppedRelay relay : relays) {
                relay.pass().run(2);
            }
        }
    }
}
