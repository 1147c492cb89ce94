package dev.posthorn.relay.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.budget.Allowance;
import dev.posthorn.relay.budget.Deliveries;
import dev.posthorn.relay.budget.InFlightBudget;
import dev.posthorn.relay.budget.InFlightPlaces;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.budget.LastHeard;
import dev.posthorn.relay.budget.RetryPlaces;
import dev.posthorn.relay.budget.Tokens;
import dev.posthorn.relay.lane.trouble.Purpose;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The events in a lane's hands, on their way there and back. */
class DispatchTest {

    private final Subscription subscription =
            Subscription.to("test", RecordingSink.oneAtATime()).build();
    private final Allowance allowance = new Allowance(Subscription.UNLIMITED, () -> 0);
    private final Tokens tokens = new Tokens(allowance, null);
    private final LastHeard lastHeard = new LastHeard(() -> 0);
    private final RetryPlaces retryPlaces = new RetryPlaces(Integer.MAX_VALUE);
    private final LaneOrders orders = new LaneOrders(
            9, 9, 9, new InFlightBudget(9), allowance, lastHeard, retryPlaces, null, null, false, false, 0);
    private final LanePorts ports = new LanePorts(null, null, null, new Deliveries(9), null, () -> 0, null, "test");
    private final InFlight sent = new InFlight("test/0", subscription, ports, orders, answered -> {}, () -> {});
    private final RowsInHand rows =
            new RowsInHand(subscription, null, new InFlightPlaces(() -> orders), new Unwritten(subscription), 0);
    private final Backlog backlog = new Backlog(subscription, sent, rows);
    private final Dispatch dispatch = new Dispatch(subscription, tokens, sent, new SentBefore(), backlog);

    /** Found by the simulation: sent as a probe, the second held event of a key arrived before the first. */
    @Test
    void whatWasLoadedBehindAHeldEventDoesNotPassItWhenItHasToGoAgain() {
        LaneEvent first = held(6, "k1");
        LaneEvent second = held(7, "k1");
        LaneEvent other = held(8, "k2");
        dispatch.addRows(List.of(first, second, other));
        assertThat(backlog.toSend().poll(true)).isSameAs(first);
        assertThat(backlog.takesTurn(first)).isTrue();
        dispatch.sendAlone(first, Purpose.PROBE);
        dispatch.again(first);
        assertThat(Stream.of(6L, 7L)).noneMatch(rows::isLoaded);
        assertThat(backlog.toSend().poll(true)).isSameAs(other);
        assertThat(rows.isLoaded(8)).isTrue();
    }

    private LaneEvent held(long seq, String key) {
        Event event = Event.builder()
                .source("test")
                .type("test.happened")
                .key(key)
                .json("{}")
                .build();
        return rows.load(new DeliveryRow(
                new RecordedEvent(seq, event, Instant.EPOCH), DeliveryState.HELD, 0, true, null, false, false));
    }
}
