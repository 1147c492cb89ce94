package dev.posthorn.relay;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Filter;
import dev.posthorn.log.KeyHash;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
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

    /** How many events may be handed over, as of a time. */
    record RateRow(double tokens, long refilledAt) {}

    static final class SubscriptionRow {
        final long id;
        final String name;
        int generation = 1;

        @Nullable
        Snapshot stopAt;

        boolean paused;
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

        /** The one that is wanted and has not begun. */
        @Nullable
        GenerationRow wanted() {
            return generations.size() > generation ? generations.get(generation) : null;
        }
    }

    static final class GenerationRow {
        final int number;
        final int lanes;
        final Filter filter;

        @Nullable
        Snapshot startA;

        @Nullable
        Snapshot startB;

        @Nullable
        Long since;

        GenerationRow(int number, int lanes, Filter filter) {
            this.number = number;
            this.lanes = lanes;
            this.filter = filter;
        }
    }

    /** A lane with its lease and its mark, which are gone once its generation has ended. */
    static final class LaneRow {
        final long id;
        final long subscriptionId;
        final int generation;
        final int index;
        final int lanes;
        final @Nullable Long since;
        boolean ended;

        long leaseEpoch;

        @Nullable
        String owner;

        long expiresAt;

        long epoch;
        Mark mark;
        Mark high;
        long readSeq;
        long rowSeq;
        boolean parked;
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

        WaitingRow(RowChange change, long place, @Nullable Long dueAt) {
            this.seq = change.seq();
            this.eventId = change.eventId();
            this.key = change.key();
            this.place = place;
            this.state = change.state();
            this.attempts = change.attempts();
            this.unanswered = change.unanswered();
            this.dueAt = dueAt;
            this.deadLetterId = change.replayOf();
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
