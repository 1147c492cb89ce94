package dev.posthorn.relay.front;

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
import dev.posthorn.relay.store.FrontStore;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.SessionTrust;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A front whose lanes and log are the test's own. */
class JourneyEndTest {

    private static final long SECOND = 1_000_000_000;
    private static final int IN_HAND = 10;
    private static final int LANES_AT_A_TIME = 6;

    private final SessionTrust session = new SessionTrust(UUID.randomUUID(), Duration.ofHours(1), 0, () -> 0);
    private final List<RecordedEvent> written = new ArrayList<>();
    private List<RecordedEvent> inWindow = List.of();
    private Front front = front(IN_HAND);
    private long now;
    private int snapshots;
    private boolean isCurrent = true;

    private Front front(int offered) {
        return new Front(new FrontPorts(
                new Stored(),
                scope -> this::read,
                this::now,
                new SplittableRandom(1),
                new FrontPorts.Portions(1000, 1 << 20, LANES_AT_A_TIME, IN_HAND, offered)));
    }

    private long now() {
        return now;
    }

    private Batch read(Cursor cursor, int limit, long bytes) {
        if (cursor instanceof Cursor.Inside inside) {
            List<RecordedEvent> rest = inWindow.stream()
                    .filter(event -> event.seq() > inside.seq())
                    .toList();
            return new Batch(
                    rest, inside.window(), new Cursor.Tail(inside.window().b()), Instant.EPOCH);
        }
        Window window = new Window(((Cursor.Tail) cursor).a(), snapshot());
        inWindow = List.copyOf(written);
        written.clear();
        return new Batch(inWindow, window, new Cursor.Tail(window.b()), Instant.EPOCH);
    }

    private Snapshot snapshot() {
        snapshots++;
        return new Snapshot(snapshots + ":" + snapshots + ":");
    }

    private void write(long seq) {
        Event event =
                Event.builder().type("a").source("test").payload(new byte[1]).build();
        written.add(new RecordedEvent(seq, event, Instant.EPOCH));
        front.wake();
    }

    private Lane board(int number) {
        Lane lane = new Lane(number);
        assertThat(front.board(lane, lane.tail, front.countRead())).isTrue();
        return lane;
    }

    private void stepAfter(long nanos) {
        now += nanos;
        front.step();
    }

    @Test
    void anErrorWhileEventsAreHandedOutEndsTheFront() {
        Lane one = board(1);
        Lane other = board(2);
        Lane last = board(3);
        other.isBroken = true;
        write(1);
        assertThatThrownBy(() -> stepAfter(SECOND)).isInstanceOf(IllegalStateException.class);
        assertThat(Stream.of(one, other, last)).allMatch(lane -> lane.isMislaid, "begins anew");
    }

    @Test
    void whoGotOffBeforeItWasCarriedIsForgotten() {
        Lane gone = board(1);
        gone.isReady = false;
        Lane slow = board(2);
        write(1);
        stepAfter(SECOND);
        gone.held.remove().release();
        front.getOff(gone);
        gone.questions = 0;
        stepAfter(SECOND + 1);
        assertThat(slow.wasSentOff).isTrue();
        assertThat(gone.questions).isZero();
    }

    @Test
    void whoWaitsForItsReceiptIsGivenMoreMeanwhile() {
        List<Lane> all = boarded(IN_HAND);
        deliver(1, all);
        write(2);
        stepAfter(Journey.SEARCH_NANOS);
        assertThat(all).allMatch(lane -> lane.unreceipted == 1, "has no receipt yet");
        assertThat(all).allMatch(lane -> lane.held.size() == 1, "was handed what is next");
        stepAfter(SECOND);
        assertThat(all).allMatch(lane -> lane.unreceipted == 0, "has its receipt");
    }

    /** Each time it is given something it wakes up, and opens a connection. */
    @Test
    void whoWaitsForItsTurnIsGivenAllThatHasComeSince() {
        List<Lane> all = boarded(IN_HAND + 1);
        Lane last = all.get(IN_HAND);
        write(1);
        stepAfter(1);
        assertThat(last.held).as("others are given theirs first").isEmpty();
        write(2);
        stepAfter(1);
        all.stream().limit(2).forEach(Lane::settle);
        stepAfter(1);
        assertThat(last.held).extracting(handed -> handed.event().seq()).containsExactly(1L, 2L);
    }

    /** Whoever gets off has read no further than what it was given, and its row must not say more. */
    @Test
    void whatSomebodyWasNotGivenWhoGetsOffHoldsTheFrontUntilItIsOff() {
        List<Lane> all = boarded(IN_HAND + 1);
        Lane last = all.get(IN_HAND);
        write(1);
        stepAfter(1);
        write(2);
        stepAfter(1);
        Cursor where = front.getOff(last).cursor();
        assertThat(where)
                .isInstanceOfSatisfying(
                        Cursor.Inside.class, inside -> assertThat(inside.seq()).isZero());
        all.stream().limit(IN_HAND).forEach(Lane::settle);
        stepAfter(SECOND);
        assertThat(last.anchoredAt)
                .as("in front of the first that it was not given")
                .isZero();
        all.stream().limit(IN_HAND).forEach(Lane::settle);
        stepAfter(SECOND);
        assertThat(front.nextNanos()).as("nothing of it is held any more").isPositive();
        assertThat(all).filteredOn(lane -> lane != last).allMatch(Lane::isAtRest);
    }

    /** What holds the front then is in nobody's hands, so that nobody was found who holds it. */
    @Test
    void whoHangsWithAsMuchAsMayBeInHandsIsSentOffForThoseWhoWait() {
        front = front(100 * IN_HAND);
        List<Lane> all = boarded(IN_HAND + 2);
        Lane hangs = all.get(IN_HAND);
        Lane waits = all.get(IN_HAND + 1);
        write(1);
        stepAfter(1);
        LongStream.rangeClosed(2, IN_HAND + 1).forEach(this::write);
        stepAfter(1);
        all.stream().limit(IN_HAND).forEach(Lane::settle);
        stepAfter(1);
        hangs.settle();
        assertThat(hangs.held).as("all that has come for it, but for the first").hasSize(IN_HAND);
        stepAfter(SECOND / 2);
        assertThat(hangs.wasSentOff).isFalse();
        stepAfter(SECOND);
        assertThat(waits.held).isEmpty();
        assertThat(hangs.wasSentOff).isTrue();
        assertThat(all).filteredOn(lane -> lane.held.isEmpty()).noneMatch(lane -> lane.wasSentOff);
    }

    /** Payloads would pile up behind the first event that somebody holds. */
    @Test
    void ofAnEventThatAllHaveSettledTheTrailKeepsNoPayload() {
        Trail trail = new Trail(Mark.at(snapshot()));
        write(1);
        Batch batch = read(new Cursor.Tail(snapshot()), 1, 1);
        Handed handed = trail.next(batch, batch.events().get(0), 1, 0);
        handed.hold();
        trail.add(handed);
        handed.release();
        assertThatThrownBy(handed::event).isInstanceOf(NullPointerException.class);
        assertThat(handed.before().seq()).isZero();
        assertThat(trail.heldBytes()).isZero();
    }

    /** It has read the rest of the window by itself. */
    @Test
    void whoGetsOnAtTheEndOfAWindowIsHandedWhatComesBehindIt() {
        List<Lane> all = insideOfAWindow();
        Lane late = boardAhead();
        all.forEach(Lane::settle);
        stepAfter(SECOND);
        assertThat(all).allMatch(lane -> lane.held.size() == 1, "was handed what was left of the window");
        assertThat(late.held).isEmpty();
        stepAfter(SECOND);
        assertThat(late.isBoarded).as("others are not settled before its place").isFalse();
        all.forEach(Lane::settle);
        stepAfter(SECOND);
        assertThat(late.isBoarded).isTrue();
        write(3);
        stepAfter(SECOND);
        assertThat(late.held).as("others come first, and are as many as may").isEmpty();
        all.forEach(Lane::settle);
        assertThat(front.nextNanos()).isZero();
        stepAfter(1);
        assertThat(late.held).hasSize(1);
    }

    @Test
    void whoGetsOffWhereItWaitsGoesOnFromThere() {
        insideOfAWindow();
        Lane late = boardAhead();
        assertThat(front.getOff(late)).isEqualTo(new Ride.Position(new Cursor.Tail(late.tail), front.reads()));
        Lane other = boardAhead();
        isCurrent = false;
        front.step();
        assertThat(late.isMislaid).isFalse();
        assertThat(other.isMislaid).as("begins anew with the connection").isTrue();
    }

    @Test
    void ifAllOthersGetOffItGoesToWhereSomebodyWaits() {
        List<Lane> all = insideOfAWindow();
        Lane late = boardAhead();
        all.forEach(lane -> lane.held.remove().release());
        all.forEach(front::getOff);
        for (int i = 0; i <= IN_HAND / LANES_AT_A_TIME; i++) {
            assertThat(front.nextNanos()).isZero();
            stepAfter(1);
        }
        assertThat(all).allMatch(lane -> lane.anchoredAt == 1, "is on its own behind the one event that it had");
        stepAfter(SECOND);
        assertThat(late.isBoarded).isTrue();
        assertThat(late.held).isEmpty();
    }

    /** Reads two events and hands out one: that is all there is room for. */
    private List<Lane> insideOfAWindow() {
        List<Lane> all = boarded(IN_HAND);
        write(1);
        write(2);
        stepAfter(Journey.SETTLE_NANOS / 5);
        assertThat(all).allMatch(lane -> lane.held.size() == 1, "was handed one of two");
        return all;
    }

    private Lane boardAhead() {
        Lane late = new Lane(IN_HAND + 1);
        assertThat(front.board(late, late.tail, front.reads() - 1))
                .as("of another read")
                .isFalse();
        assertThat(front.board(late, late.tail, front.reads())).isTrue();
        assertThat(late.boardedAt).as("nobody knows yet").isEqualTo(-1);
        return late;
    }

    private List<Lane> boarded(int count) {
        List<Lane> all = IntStream.range(0, count).mapToObj(this::board).toList();
        stepAfter(2 * SECOND);
        stepAfter(2 * SECOND);
        return all;
    }

    private void deliver(long seq, List<Lane> to) {
        write(seq);
        stepAfter(Journey.SETTLE_NANOS / 5);
        to.forEach(Lane::settle);
    }

    /** Does whatever it is asked to. */
    private final class Stored implements FrontStore {
        @Override
        public void begin(UUID front, UUID session, Mark at, long readSeq, long turn) {}

        @Override
        public void end(Collection<UUID> fronts) {}

        @Override
        public boolean isCurrent() {
            return isCurrent;
        }

        @Override
        public Moved move(Move move) {
            Set<Long> touched = Stream.concat(move.anchored().stream(), move.boarded().stream())
                    .map(Touched::lane)
                    .collect(Collectors.toSet());
            return new Moved(true, touched);
        }
    }

    private final class Lane implements Rider {
        private final LaneGrant grant;
        private final Subscription subscription;
        private final Snapshot tail = snapshots == 0 ? snapshot() : new Snapshot(snapshots + ":" + snapshots + ":");
        private final Queue<Handed> held = new ArrayDeque<>();
        private long boardedAt = -1;
        private boolean isBoarded;
        private long anchoredAt = -1;
        private int questions;
        private int unreceipted;
        private boolean isReady = true;
        private boolean isBroken;
        private boolean isMislaid;
        private boolean wasSentOff;

        Lane(int number) {
            LaneScope scope = new LaneScope(Filter.ALL, 1, 0, 0, null, null);
            this.grant = new LaneGrant("s" + number + "/0", number, new Lease(number, number, session), scope);
            this.subscription =
                    Subscription.to("s" + number, RecordingSink.oneAtATime()).build();
        }

        void settle() {
            held.remove().release();
            unreceipted++;
        }

        @Override
        public LaneGrant grant() {
            return grant;
        }

        @Override
        public Subscription subscription() {
            return subscription;
        }

        @Override
        public int take(List<Handed> events) {
            if (isBroken) {
                throw new IllegalStateException("broken");
            }
            held.addAll(events);
            return events.size();
        }

        @Override
        public void putOff(Ride.Position position) {}

        @Override
        public @Nullable Handed firstHeld() {
            questions++;
            return held.peek();
        }

        @Override
        public boolean isSlow() {
            return true;
        }

        @Override
        public void sendOff() {
            wasSentOff = true;
        }

        @Override
        public void joined(long number) {
            boardedAt = number;
        }

        @Override
        public boolean isDisturbed() {
            return false;
        }

        @Override
        public boolean isProven() {
            return true;
        }

        @Override
        public void calmed() {}

        @Override
        public boolean isBoardable(long number) {
            return isReady && number >= boardedAt;
        }

        @Override
        public long turn() {
            return 0;
        }

        @Override
        public void boarded(Mark at, long number, long turn) {
            isBoarded = true;
        }

        @Override
        public void carried(Mark at, long number) {}

        @Override
        public int unreceipted() {
            return unreceipted;
        }

        @Override
        public boolean isAtRest() {
            return held.isEmpty() && unreceipted == 0;
        }

        @Override
        public void receipted(int events) {
            unreceipted -= events;
        }

        @Override
        public void anchored(Mark at, long number, long turn) {
            anchoredAt = at.seq();
        }

        @Override
        public void mislaid() {
            isMislaid = true;
        }

        @Override
        public void ended(long turn, @Nullable MoveInDoubt inDoubt) {
            mislaid();
        }
    }
}
