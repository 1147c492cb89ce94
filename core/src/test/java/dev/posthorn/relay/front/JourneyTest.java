package dev.posthorn.relay.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.EventLog;
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
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a front does to its riders, without a database: with more of them than there is time for there, and at one moment. */
class JourneyTest {

    private static final int MORE_THAN_ONE_STATEMENT_TAKES = 2001;
    private static final Snapshot TAIL = new Snapshot("1:1:");

    private final SessionTrust session = new SessionTrust(UUID.randomUUID(), Duration.ofSeconds(30), 0, () -> 0);
    private final Subscription subscription =
            Subscription.to("test", RecordingSink.oneAtATime()).lanes(1).build();
    private long nanos;
    private int reads;
    private int moves;
    private boolean current = true;

    private final FrontStore store = new FrontStore() {
        @Override
        public void begin(UUID front, UUID session, Mark at, long readSeq, long turn) {}

        @Override
        public void end(Collection<UUID> fronts) {}

        @Override
        public boolean isCurrent() {
            return current;
        }

        @Override
        public Moved move(Move move) {
            moves++;
            return new Moved(
                    true,
                    Stream.concat(move.anchored().stream(), move.boarded().stream())
                            .map(Touched::lane)
                            .collect(Collectors.toSet()));
        }
    };

    private final EventLog log = (cursor, limit, bytes) -> {
        reads++;
        Snapshot later = new Snapshot("1:" + (1 + reads) + ":");
        return new Batch(
                List.of(), new Window(((Cursor.Tail) cursor).a(), later), new Cursor.Tail(later), Instant.EPOCH);
    };

    private final Front front = new Front(new FrontPorts(store, scope -> log, () -> nanos, new SplittableRandom(1)));

    private void step() {
        nanos += Duration.ofMillis(100).toNanos();
        front.step();
    }

    /** Its row would say more than it has read. */
    @Test
    void aFrontReadsNoFurtherWhileSomebodyIsOnTheWayOff() {
        List<Passenger> all = IntStream.range(0, 1 + MORE_THAN_ONE_STATEMENT_TAKES)
                .mapToObj(Passenger::new)
                .toList();
        long read = front.countRead();
        all.forEach(each -> assertThat(front.board(each, TAIL, read)).isTrue());
        step();
        step();
        assertThat(all).allSatisfy(each -> assertThat(each.carriedAt).isNotNull());
        List<Passenger> off = all.subList(1, all.size());
        Mark hasRead = Mark.at(((Cursor.Tail) front.getOff(off.get(0)).cursor()).a());
        off.forEach(front::getOff);
        step();
        assertThat(off)
                .filteredOn(each -> each.anchoredAt == null)
                .as("not yet")
                .hasSize(1);
        step();
        assertThat(off).allSatisfy(each -> assertThat(each.anchoredAt).isEqualTo(hasRead));
        int readsBefore = reads;
        step();
        assertThat(reads).as("for the one that stays").isGreaterThan(readsBefore);
    }

    /** Whoever goes on takes its lanes off it first; what it has read may be of transactions that never were. */
    @Test
    void aFrontEndsWithItsConnection() {
        Passenger rider = new Passenger(0);
        assertThat(front.board(rider, TAIL, front.countRead())).isTrue();
        step();
        assertThat(rider.carriedAt).isNotNull();
        int movesBefore = moves;
        int readsBefore = reads;
        current = false;
        nanos += Duration.ofSeconds(2).toNanos();
        step();
        assertThat(rider.ended).isTrue();
        step();
        assertThat(moves).isEqualTo(movesBefore);
        assertThat(reads).isEqualTo(readsBefore);
    }

    /** A lane that does nothing but ride. */
    private final class Passenger implements Rider {

        private final LaneGrant grant;
        private @Nullable Mark carriedAt;
        private @Nullable Mark anchoredAt;
        private boolean ended;

        Passenger(int index) {
            this.grant = new LaneGrant(
                    "test/" + index,
                    1,
                    new Lease(index, 1, session),
                    new LaneScope(Filter.ALL, 1 + MORE_THAN_ONE_STATEMENT_TAKES, index, 0, null, null));
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
            return 0;
        }

        @Override
        public void putOff(Ride.Position position) {}

        @Override
        public @Nullable Handed firstHeld() {
            return null;
        }

        @Override
        public boolean isSlow() {
            return true;
        }

        @Override
        public void sendOff() {}

        @Override
        public void joined(long number) {}

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
            return true;
        }

        @Override
        public long turn() {
            return 0;
        }

        @Override
        public void boarded(Mark at, long number, long turn) {
            carriedAt = at;
        }

        @Override
        public void carried(Mark at, long number) {}

        @Override
        public int unreceipted() {
            return 0;
        }

        @Override
        public boolean isAtRest() {
            return true;
        }

        @Override
        public void receipted(int events) {}

        @Override
        public void anchored(Mark at, long number, long turn) {
            anchoredAt = at;
        }

        @Override
        public void mislaid() {}

        @Override
        public void ended(long turn, @Nullable MoveInDoubt last) {
            ended = true;
        }
    }
}
