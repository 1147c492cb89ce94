package dev.posthorn.simulation;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Filter;
import dev.posthorn.log.KeyHash;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.store.AttemptRecord;
import dev.posthorn.relay.store.Command;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.LetterChange;
import dev.posthorn.relay.store.ReplayOrder;
import dev.posthorn.relay.store.Replayed;
import dev.posthorn.relay.store.RowChange;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rows of the modelled database, by table. Times are microseconds of the database's clock. */
final class Tables {

    private Tables() {}

    /** A row of the log; to be seen once its transaction is committed. */
    static final class EventRow {
        final long txid;
        final RecordedEvent recorded;
        final long hash;

        /** All that a filter looks at. */
        final String shape;

        boolean committed;

        EventRow(long txid, RecordedEvent recorded) {
            this.txid = txid;
            this.recorded = recorded;
            String key = recorded.event().key();
            this.hash = KeyHash.of(key == null ? recorded.event().id().toString() : key);
            this.shape = recorded.event().type()
                    + '\n'
                    + recorded.event().aggregateType()
                    + '\n'
                    + recorded.event().source()
                    + '\n'
                    + new TreeMap<>(recorded.event().headers());
        }

        long seq() {
            return recorded.seq();
        }

        @Nullable
        String key() {
            return recorded.event().key();
        }

        int lane(int lanes) {
            return (int) (hash % lanes);
        }
    }

    /**
     * The committed events. Almost whoever looks at them has seen all of the older transactions before, so they are also
     * kept by transaction: a look then costs as much as there is new, and not as much as there ever was.
     */
    static final class CommittedLog {

        private static final Comparator<EventRow> BY_SEQ = Comparator.comparingLong(EventRow::seq);

        private final TreeMap<Long, EventRow> bySeq = new TreeMap<>();
        private final TreeMap<Long, List<EventRow>> byTransaction = new TreeMap<>();

        void add(EventRow row) {
            bySeq.put(row.seq(), row);
            byTransaction.computeIfAbsent(row.txid, txid -> new ArrayList<>()).add(row);
        }

        /** A crash has undone its commit. */
        void remove(EventRow row) {
            bySeq.remove(row.seq());
            byTransaction.remove(row.txid);
        }

        boolean isEmpty() {
            return bySeq.isEmpty();
        }

        @Nullable
        EventRow get(long seq) {
            return bySeq.get(seq);
        }

        /** The greatest seq; 0 if there is no event. */
        long lastSeq() {
            return bySeq.isEmpty() ? 0 : bySeq.lastKey();
        }

        /** All of them by seq. */
        Collection<EventRow> values() {
            return bySeq.values();
        }

        /** Those by seq that were written by this transaction or a later one. */
        List<EventRow> since(long txid) {
            if (byTransaction.isEmpty() || byTransaction.lastKey() < txid) {
                return List.of();
            }
            List<EventRow> some = new ArrayList<>();
            byTransaction.tailMap(txid).values().forEach(some::addAll);
            some.sort(BY_SEQ);
            return some;
        }
    }

    /** How many events may be handed over, as of a time. */
    record RateRow(double tokens, long refilledAt) {

        /** What was granted, and what the row is then. */
        record Lease(LaneStore.Granted granted, RateRow row) {}

        /** The first time there is one; later they come at the rate, and gather up to the capacity. */
        static Lease lease(@Nullable RateRow row, long now, double ratePerSecond, double capacity, int wanted) {
            if (row == null) {
                return new Lease(new LaneStore.Granted(1, 0), new RateRow(0, now));
            }
            double elapsed = Math.max(0, now - row.refilledAt) / 1e6;
            double gathered = Math.min(capacity, row.tokens + ratePerSecond * elapsed);
            int granted = (int) Math.min(wanted, Math.floor(gathered + 1e-6));
            boolean setBack = row.refilledAt > now + 1_000_000;
            return new Lease(
                    new LaneStore.Granted(granted, gathered - granted),
                    new RateRow(gathered - granted, setBack ? now : Math.max(now, row.refilledAt)));
        }
    }

    static final class SubscriptionRow {
        final long id;
        final String name;
        int generation = 1;

        /** Of what was asked for last. */
        long revision;

        @Nullable
        Snapshot stopAt;

        boolean paused;

        /** The transaction that last paused or resumed it. */
        long pausedTxid;

        long letGoSeq;

        @Nullable
        RateRow rate;

        /** All that were ever leased, and all that were ever handed over. */
        long granted;

        long sends;

        final List<GenerationRow> generations = new ArrayList<>();

        SubscriptionRow(long id, String name) {
            this.id = id;
            this.name = name;
        }

        GenerationRow current() {
            return generations.get(generation - 1);
        }

        GenerationRow newest() {
            return generations.get(generations.size() - 1);
        }

        /** The one that is wanted and has not begun. */
        @Nullable
        GenerationRow wanted() {
            return generations.size() > generation ? generations.get(generation) : null;
        }
    }

    static final class GenerationRow {
        final int number;
        final UUID change;
        final int lanes;
        final Filter filter;

        @Nullable
        Snapshot startA;

        @Nullable
        Snapshot startB;

        @Nullable
        Long since;

        /** As the subscription wants it. */
        GenerationRow(int number, UUID change, Subscription wanted) {
            this.number = number;
            this.change = change;
            this.lanes = wanted.lanes();
            this.filter = ModelDatabase.stored(wanted.filter());
        }

        boolean isAsWanted(Subscription wanted) {
            Filter other = wanted.filter();
            return lanes == wanted.lanes() && (filter.equals(other) || filter.equals(ModelDatabase.stored(other)));
        }
    }

    /** That something of a subscription has changed. */
    record ChangeRow(long txid, long subscriptionId) {}

    /** A row of {@code session}, with those of {@code served}. */
    static final class SessionRow {
        final UUID id;
        final String instance;
        long link;
        long expiresAt;
        Snapshot obeys;
        final Set<Long> served = new TreeSet<>();

        SessionRow(UUID id, String instance, long link, long expiresAt, Snapshot obeys) {
            this.id = id;
            this.instance = instance;
            this.link = link;
            this.expiresAt = expiresAt;
            this.obeys = obeys;
        }

        SessionRow copy() {
            SessionRow copy = new SessionRow(id, instance, link, expiresAt, obeys);
            copy.served.addAll(served);
            return copy;
        }
    }

    /** A row of {@code front}. */
    static final class FrontRow {
        final UUID id;
        final UUID session;
        Mark mark;
        long readSeq;
        long turn;
        boolean ended;

        FrontRow(UUID id, UUID session, Mark mark, long readSeq, long turn) {
            this.id = id;
            this.session = session;
            this.mark = mark;
            this.readSeq = readSeq;
            this.turn = turn;
        }

        FrontRow copy() {
            FrontRow copy = new FrontRow(id, session, mark, readSeq, turn);
            copy.ended = ended;
            return copy;
        }
    }

    /** A lane with its owner and its mark, which are gone once its generation has ended. */
    static final class LaneRow {
        final long id;
        final long subscriptionId;
        final int generation;
        final int index;
        final int lanes;
        final @Nullable Long since;
        boolean ended;

        long ownerEpoch;

        @Nullable
        UUID session;

        long epoch;
        Mark mark;
        Mark high;
        long readSeq;
        long rowSeq;

        @Nullable
        UUID parkedFor;

        /** With which it rides; its own mark is then where it got on. */
        @Nullable
        UUID front;

        long turn;
        int takeovers;
        Settlement.@Nullable Gauge gauge;
        final TreeMap<Long, WaitingRow> rows = new TreeMap<>();

        LaneRow(long id, long subscriptionId, GenerationRow generation, int index, Mark mark, long readSeq) {
            this.id = id;
            this.subscriptionId = subscriptionId;
            this.generation = generation.number;
            this.lanes = generation.lanes;
            this.index = index;
            this.since = generation.since;
            this.mark = mark;
            this.high = mark;
            this.readSeq = readSeq;
        }

        private LaneRow(LaneRow other) {
            id = other.id;
            subscriptionId = other.subscriptionId;
            generation = other.generation;
            index = other.index;
            lanes = other.lanes;
            since = other.since;
            ended = other.ended;
            ownerEpoch = other.ownerEpoch;
            session = other.session;
            epoch = other.epoch;
            mark = other.mark;
            high = other.high;
            readSeq = other.readSeq;
            rowSeq = other.rowSeq;
            parkedFor = other.parkedFor;
            front = other.front;
            turn = other.turn;
            takeovers = other.takeovers;
            gauge = other.gauge;
            other.rows.forEach((seq, row) -> rows.put(seq, row.copy()));
        }

        LaneRow copy() {
            return new LaneRow(this);
        }
    }

    /** A row of {@code delivery}. */
    static final class WaitingRow {
        final long seq;
        final UUID eventId;
        final @Nullable String key;
        long place;
        DeliveryState state;
        int attempts;
        boolean unanswered;

        @Nullable
        Long dueAt;

        @Nullable
        Long deadLetterId;

        @Nullable
        Long replayId;

        WaitingRow(RowChange change, long place, @Nullable Long dueAt) {
            this.seq = change.seq();
            this.eventId = change.eventId();
            this.key = change.key();
            this.place = place;
            this.state = change.state();
            this.attempts = change.attempts();
            this.unanswered = change.unanswered();
            this.dueAt = dueAt;
            belongTo(change.replay());
        }

        private WaitingRow(WaitingRow other) {
            seq = other.seq;
            eventId = other.eventId;
            key = other.key;
            place = other.place;
            state = other.state;
            attempts = other.attempts;
            unanswered = other.unanswered;
            dueAt = other.dueAt;
            deadLetterId = other.deadLetterId;
            replayId = other.replayId;
        }

        WaitingRow copy() {
            return new WaitingRow(this);
        }

        /** Once it belongs to a replay, it does so to its end. */
        void belongTo(@Nullable Replayed replay) {
            if (replay != null) {
                replayId = replay.replayId();
                deadLetterId = replay.deadLetterId() == null ? deadLetterId : replay.deadLetterId();
            }
        }
    }

    static final class LetterRow {
        final long id;
        final long subscriptionId;
        final EventRow event;
        int attempts;
        String reason;
        boolean holdsKey;
        int replays;
        boolean discarded;

        @Nullable
        String discardedBy;

        LetterRow(long id, long subscriptionId, EventRow event, LetterChange.Dead dead) {
            this.id = id;
            this.subscriptionId = subscriptionId;
            this.event = event;
            this.attempts = dead.attempts();
            this.reason = dead.failure().reason();
            this.holdsKey = dead.holdsKey();
        }

        private LetterRow(LetterRow other) {
            id = other.id;
            subscriptionId = other.subscriptionId;
            event = other.event;
            attempts = other.attempts;
            reason = other.reason;
            holdsKey = other.holdsKey;
            replays = other.replays;
            discarded = other.discarded;
            discardedBy = other.discardedBy;
        }

        LetterRow copy() {
            return new LetterRow(this);
        }
    }

    /** A row of {@code replay}, with its items. */
    static final class ReplayRow {

        enum Standing {
            RUNNING,
            WAITING_FOR_GO,
            PAUSED,
            CANCELLED,
            FINISHED
        }

        final long id;
        Standing state = Standing.RUNNING;
        double ratePerSecond = Subscription.UNLIMITED;
        int maxInFlight = ReplayOrder.ANY_NUMBER;
        boolean canaryGoesOn;
        boolean trying;

        @Nullable
        Double stopAtFailureRate;

        long requested;
        final Set<Long> subscriptions = new TreeSet<>();
        final List<ItemRow> items = new ArrayList<>();

        /** By lane. */
        final TreeMap<Long, Long> delivered = new TreeMap<>();

        @Nullable
        RateRow rate;

        /** All that were ever leased. */
        long granted;

        ReplayRow(long id) {
            this.id = id;
        }

        ReplayRow copy() {
            ReplayRow copy = new ReplayRow(id);
            copy.state = state;
            copy.ratePerSecond = ratePerSecond;
            copy.maxInFlight = maxInFlight;
            copy.canaryGoesOn = canaryGoesOn;
            copy.trying = trying;
            copy.stopAtFailureRate = stopAtFailureRate;
            copy.requested = requested;
            copy.subscriptions.addAll(subscriptions);
            items.forEach(item -> copy.items.add(item.copy()));
            copy.delivered.putAll(delivered);
            copy.rate = rate;
            copy.granted = granted;
            return copy;
        }

        boolean isEnded() {
            return state == Standing.CANCELLED || state == Standing.FINISHED;
        }

        long count(ItemRow.Ending which) {
            long count = 0;
            for (ItemRow item : items) {
                count += item.state == which ? 1 : 0;
            }
            return count;
        }

        long deliveredCount() {
            return delivered.values().stream().mapToLong(count -> count).sum();
        }
    }

    /** A row of {@code replay_item}. */
    static final class ItemRow {

        enum Ending {
            PENDING,
            FAILED,
            SKIPPED
        }

        final long replayId;
        final long subscriptionId;
        final EventRow event;
        final @Nullable Long deadLetterId;
        boolean canary;
        Ending state = Ending.PENDING;

        @Nullable
        String reason;

        ItemRow(long replayId, long subscriptionId, EventRow event, @Nullable Long deadLetterId) {
            this.replayId = replayId;
            this.subscriptionId = subscriptionId;
            this.event = event;
            this.deadLetterId = deadLetterId;
        }

        ItemRow copy() {
            ItemRow copy = new ItemRow(replayId, subscriptionId, event, deadLetterId);
            copy.canary = canary;
            copy.state = state;
            copy.reason = reason;
            return copy;
        }

        long seq() {
            return event.seq();
        }

        boolean isPending() {
            return state == Ending.PENDING;
        }

        boolean isCancelled() {
            return state == Ending.SKIPPED && ModelReplays.CANCELLED.equals(reason);
        }

        void end(Ending how, String why) {
            state = how;
            reason = why;
        }
    }

    static final class CommandRow {
        final long subscriptionId;
        final EventRow event;
        final Command command;

        @Nullable
        String answer;

        CommandRow(long subscriptionId, EventRow event, Command command) {
            this.subscriptionId = subscriptionId;
            this.event = event;
            this.command = command;
        }
    }

    record AttemptRow(long subscriptionId, AttemptRecord attempt) {}

    record ReceiptRow(long laneId, Mark mark, long count) {}
}
