package dev.posthorn.relay.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.Filter;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import dev.posthorn.log.Window;
import dev.posthorn.relay.budget.Allowance;
import dev.posthorn.relay.budget.Deliveries;
import dev.posthorn.relay.budget.InFlightBudget;
import dev.posthorn.relay.budget.InFlightPlaces;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.budget.LastHeard;
import dev.posthorn.relay.budget.RetryPlaces;
import dev.posthorn.relay.budget.Setback;
import dev.posthorn.relay.budget.Tokens;
import dev.posthorn.relay.front.Front;
import dev.posthorn.relay.front.FrontPorts;
import dev.posthorn.relay.lane.trouble.ReceiverState;
import dev.posthorn.relay.store.FrontStore;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.SessionTrust;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Lanes on a front that lets one delivery at a time be in their hands. */
class AboardTest {

    private static final long SECOND = 1_000_000_000;

    private final SessionTrust session = new SessionTrust(UUID.randomUUID(), Duration.ofHours(1), 0, () -> 0);
    private final Allowance allowance = new Allowance(Subscription.UNLIMITED, this::now);
    private final LaneOrders orders = new LaneOrders(
            9,
            9,
            9,
            new InFlightBudget(9),
            allowance,
            new LastHeard(this::now),
            new RetryPlaces(Integer.MAX_VALUE),
            null,
            null,
            false,
            false,
            0);
    private final Snapshot tail = new Snapshot("1:1:");
    private final Front front = new Front(new FrontPorts(
            new Stored(),
            scope -> this::read,
            this::now,
            new SplittableRandom(1),
            new FrontPorts.Portions(1000, 1 << 20, 9, 1, 9)));
    private final List<RecordedEvent> written = new ArrayList<>();
    private int snapshots = 1;
    private long now;

    private long now() {
        return now;
    }

    private Batch read(Cursor cursor, int limit, long bytes) {
        snapshots++;
        Snapshot next = new Snapshot(snapshots + ":" + snapshots + ":");
        List<RecordedEvent> events = List.copyOf(written);
        written.clear();
        return new Batch(events, new Window(((Cursor.Tail) cursor).a(), next), new Cursor.Tail(next), Instant.EPOCH);
    }

    private void stepAfter(long nanos) {
        now += nanos;
        front.step();
    }

    @Test
    void howLongAnEventWaitedForItsTurnIsNotTheFaultOfWhoIsGivenIt() {
        Aboard first = board(1);
        Aboard next = board(2);
        stepAfter(SECOND);
        Event event =
                Event.builder().source("test").type("a").key("k").json("{}").build();
        written.add(new RecordedEvent(1, event, Instant.EPOCH));
        front.wake();
        stepAfter(1);
        assertThat(first.firstHeld()).isNotNull();
        assertThat(next.firstHeld()).as("waits for its turn").isNull();
        stepAfter(31 * SECOND);
        assertThat(first.isRiding()).as("it has held the event for too long").isFalse();
        assertThat(next.firstHeld()).isNotNull();
        assertThat(next.isSlow()).isFalse();
        now += 31 * SECOND;
        assertThat(next.isSlow()).isTrue();
    }

    /** Such as that of a sink that cannot be closed. */
    @Test
    void theEndOfALaneIsToldAlsoIfItEndsWithAnError() {
        RelayListener broken = new RelayListener() {
            @Override
            public void leaseLost(String subscription, String lane, int inFlight) {
                throw new IllegalStateException("broken");
            }
        };
        LaneGrant grant = grant(1);
        Lane lane = new Lane(grant, subscription(), ports(broken), orders);
        List<Lane> told = new ArrayList<>();
        lane.onEnd(told::add);
        lane.lose();
        assertThatThrownBy(lane::step).hasMessage("broken");
        assertThat(told).containsExactly(lane);
    }

    private static Subscription subscription() {
        return Subscription.to("s", RecordingSink.oneAtATime()).build();
    }

    private LaneGrant grant(int number) {
        LaneScope scope = new LaneScope(Filter.ALL, 1, 0, 0, null, null);
        return new LaneGrant("s" + number + "/0", number, new Lease(number, number, session), scope);
    }

    private LanePorts ports(RelayListener listener) {
        return new LanePorts(
                this::read, null, front, new Deliveries(9), listener, this::now, new SplittableRandom(1), "test");
    }

    private Aboard board(int number) {
        Subscription subscription = subscription();
        LaneGrant grant = grant(number);
        LanePorts ports = ports(new RelayListener() {});
        InFlight sent = new InFlight(grant.name(), subscription, ports, orders, answered -> {}, () -> {});
        LaneHold hold = new LaneHold(
                () -> {},
                () -> orders,
                new LaneCounters(),
                new InFlight.Answers(),
                sent,
                new InFlightPlaces(() -> orders),
                new Tokens(allowance, null),
                new ReceiverState(grant.name(), subscription, ports.listener(), ports.ticker()),
                new Setback());
        Aboard aboard = new Aboard(grant, subscription, ports, hold, () -> {});
        StoredLane stored = new StoredLane(Mark.at(tail), 0, 0, 0, null, 0, null, true, Duration.ZERO, null, true);
        new LaneRun(aboard, ports, hold, stored, new SentBefore());
        assertThat(aboard.board(tail, front.countRead(), 0, now)).isTrue();
        return aboard;
    }

    /** Does whatever it is asked to. */
    private static final class Stored implements FrontStore {
        @Override
        public void begin(UUID front, UUID session, Mark at, long readSeq, long turn) {}

        @Override
        public void end(Collection<UUID> fronts) {}

        @Override
        public boolean isCurrent() {
            return true;
        }

        @Override
        public Moved move(Move move) {
            return new Moved(
                    true,
                    Stream.concat(move.anchored().stream(), move.boarded().stream())
                            .map(Touched::lane)
                            .collect(Collectors.toSet()));
        }
    }
}
