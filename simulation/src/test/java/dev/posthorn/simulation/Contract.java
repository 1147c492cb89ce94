package dev.posthorn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.Filter;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;
import dev.posthorn.relay.store.Changes;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.LetterChange;
import dev.posthorn.relay.store.Replayed;
import dev.posthorn.relay.store.RowChange;
import dev.posthorn.relay.store.SessionTrust;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.relay.store.Sharing;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What both suites of a contract need, whatever database is behind the ports. */
abstract class Contract {

    static final Duration TTL = Duration.ofSeconds(30);
    static final long MANY_BYTES = 1 << 20;

    private final Map<String, Peer> processes = new HashMap<>();

    StoreFixture store;

    abstract StoreFixture open();

    @BeforeEach
    void setUp() {
        store = open();
    }

    @AfterEach
    void tearDown() {
        store.close();
    }

    static Event event(String key) {
        return event(key, "test.happened");
    }

    static Event event(String key, String type) {
        return Event.builder()
                .source("test")
                .type(type)
                .key(key)
                .payload(new byte[100])
                .build();
    }

    /** Records and commits one event of each key. */
    List<Long> record(String... keys) {
        int transaction = store.begin();
        List<Long> seqs = new ArrayList<>();
        for (String key : keys) {
            seqs.add(store.insert(transaction, event(key)));
        }
        store.commit(transaction);
        return seqs;
    }

    static Subscription subscription(UnaryOperator<Subscription.Builder> settings) {
        return settings.apply(Subscription.to("test", RecordingSink.oneAtATime())
                        .lanes(1)
                        .fromBeginning())
                .build();
    }

    static LaneScope whole() {
        return new LaneScope(Filter.ALL, 1, 0, 0, null, null);
    }

    static List<Long> seqs(Batch batch) {
        return batch.events().stream().map(RecordedEvent::seq).toList();
    }

    static List<Long> seqs(List<DeliveryRow> rows) {
        return rows.stream().map(DeliveryRow::seq).toList();
    }

    /** A lane that was taken over, and what its owner knows. */
    final class Owned {
        final LaneGrant grant;
        final LaneStore lane;
        final StoredLane stored;
        Mark mark;
        private long turn;
        private Cursor cursor;

        Owned(LaneGrant grant) {
            this.grant = grant;
            this.lane = store.lane(grant);
            this.stored = Objects.requireNonNull(lane.begin());
            this.mark = stored.mark();
            this.turn = stored.turn();
            this.cursor = mark.cursor();
        }

        /** Reads whatever is there, as if it was delivered at once, and returns the events. */
        List<RecordedEvent> read() {
            List<RecordedEvent> events = new ArrayList<>();
            Batch batch;
            do {
                batch = store.log(grant.scope()).read(cursor, 1000, MANY_BYTES);
                events.addAll(batch.events());
                cursor = batch.next();
            } while (!batch.endsWindow());
            mark = batch.markAtEnd();
            return events;
        }

        /** That of the last settle. */
        long turn() {
            return turn;
        }

        Settlement settlement(Consumer<Changes> changing) {
            Changes changes = new Changes();
            changing.accept(changes);
            return new Settlement(turn, ++turn, mark, mark, 0, null, false, 0, null, changes);
        }

        /** A front's move has written its row. */
        void stands(Mark at, long withTurn) {
            mark = at;
            turn = withTurn;
        }

        boolean settle(Consumer<Changes> changing) {
            return lane.settle(settlement(changing)).done();
        }

        boolean park(Sharing sharing) {
            return lane.settle(new Settlement(
                            turn, ++turn, mark, mark, 0, sharing.change(), false, 0, null, new Changes()))
                    .done();
        }
    }

    Owned own(String instance, Subscription subscription) {
        return ownAll(instance, subscription, 1).get(0);
    }

    List<Owned> ownAll(String instance, Subscription subscription, int count) {
        return process(instance).own(subscription, count);
    }

    /** The process of that name; it begins a session when it is first asked for. */
    Peer process(String instance) {
        return processes.computeIfAbsent(instance, Peer::new);
    }

    /** A process with its session, as a lease keeper has it. */
    final class Peer {
        final LeaseStore leases;
        final UUID session;
        private final SessionTrust trust = new SessionTrust(UUID.randomUUID(), TTL, 0, () -> 0);

        Peer(String instance) {
            this.leases = store.leases(instance);
            leases.begin();
            this.session = leases.open(TTL);
        }

        long register(Subscription subscription) {
            return Objects.requireNonNull(
                    leases.register(List.of(subscription)).ids().get(subscription.name()));
        }

        boolean renew() {
            return leases.renew(TTL, null);
        }

        Sharing sharing(long id) {
            return Objects.requireNonNull(
                            leases.look(null, List.of(id)).subscriptions().get(id))
                    .orElseThrow();
        }

        void request(long id, Subscription wanted) {
            assertThat(leases.request(Map.of(id, wanted))).isEmpty();
        }

        void advance(long id) {
            assertThat(leases.advance(List.of(id))).isEmpty();
        }

        List<Owned> own(Subscription subscription, int count) {
            long id = register(subscription);
            leases.serve(List.of(id), List.of());
            return leases.acquire(List.of(new LeaseStore.Claim(id, subscription, sharing(id), count)), trust).stream()
                    .map(Owned::new)
                    .toList();
        }
    }

    static RowChange waiting(RecordedEvent event, int attempts, Duration delay) {
        return row(event, DeliveryState.WAITING, attempts, delay, null);
    }

    static RowChange unanswered(RecordedEvent event, int attempts, Duration delay) {
        return new RowChange(
                event.seq(),
                event.event().id(),
                event.event().key(),
                DeliveryState.WAITING,
                attempts,
                delay,
                null,
                new Outcome.Retry("no answer yet"),
                true,
                null);
    }

    static RowChange held(RecordedEvent event) {
        return row(event, DeliveryState.HELD, 0, null, null);
    }

    static RowChange deferred(RecordedEvent event, Duration delay) {
        return row(event, DeliveryState.DEFERRED, 0, delay, null);
    }

    static RowChange row(RecordedEvent event, DeliveryState state, int attempts, Duration delay, Replayed replay) {
        Outcome.Failure failure = state == DeliveryState.WAITING ? new Outcome.Retry("not now") : null;
        return new RowChange(
                event.seq(),
                event.event().id(),
                event.event().key(),
                state,
                attempts,
                delay,
                null,
                failure,
                false,
                replay);
    }

    static LetterChange.Dead dead(RecordedEvent event, int attempts, boolean holdsKey) {
        return new LetterChange.Dead(event.seq(), attempts, new Outcome.Reject("poison"), holdsKey);
    }
}
