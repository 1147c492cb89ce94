package dev.posthorn.replay;

import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.error.Requests;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What is to be sent again, and how. */
public final class ReplayRequest {

    /** A replay of more items than this needs a reason. */
    public static final int REASON_ABOVE = 100;

    /** How often a dead letter may have been replayed in vain. */
    public static final int REPLAY_LIMIT = 10;

    /** For how long consumers know an event that comes again, unless told otherwise. */
    public static final Duration DEDUP_PERIOD = Duration.ofDays(30);

    private final Selection selection;
    private final ReplayPace pace;
    private final @Nullable Integer canary;
    private final boolean canaryGoesOn;
    private final @Nullable Double stopAtFailureRate;
    private final @Nullable String reason;
    private final int reasonAbove;
    private final int replayLimit;
    private final Duration dedupPeriod;
    private final @Nullable Duration logRetention;

    private ReplayRequest(Builder builder) {
        this.selection = builder.selection;
        this.pace = builder.pace;
        this.canary = builder.canary;
        this.canaryGoesOn = builder.canaryGoesOn;
        this.stopAtFailureRate = builder.stopAtFailureRate;
        this.reason = builder.reason;
        this.reasonAbove = builder.reasonAbove;
        this.replayLimit = builder.replayLimit;
        this.dedupPeriod = builder.dedupPeriod;
        this.logRetention = builder.logRetention;
    }

    /** One dead letter. */
    public static Builder ofDeadLetter(long id) {
        return new Builder(new Selection.DeadLetterState(id));
    }

    /** The dead letter of an event; the subscription may be left out if only one could not take it. */
    public static Builder ofMessage(UUID eventId, @Nullable String subscription) {
        return new Builder(new Selection.Message(Objects.requireNonNull(eventId, "eventId"), subscription));
    }

    /** These dead letters, without those that are none any more. */
    public static Builder ofDeadLetters(Collection<Long> ids) {
        int count = (int) ids.stream().distinct().count();
        return new Builder(
                new Selection.Letters(count, DeadLetterQuery.builder().ids(ids).build()));
    }

    /** All open dead letters that the query finds; its page size and cursor mean nothing here. */
    public static Builder ofQuery(DeadLetterQuery query) {
        return new Builder(new Selection.Matching(Objects.requireNonNull(query, "query")));
    }

    /**
     * Events of the log that the subscription's filter wants and that are settled for it, from before it began too:
     * recorded at or after one time and before the other.
     *
     * @param types exact, or patterns as a {@link dev.posthorn.log.Filter} has them; none for all
     */
    public static Builder ofHistory(
            String subscription,
            Instant from,
            Instant to,
            List<String> types,
            @Nullable String aggregateType,
            @Nullable String key) {
        return new Builder(new Selection.History(subscription, from, to, types, aggregateType, key, null));
    }

    /**
     * One event of the log that the subscription's filter wants and that is settled for it.
     *
     * @param recordedAt when it was recorded
     */
    public static Builder ofEvent(String subscription, UUID eventId, Instant recordedAt) {
        return new Builder(new Selection.History(
                subscription,
                recordedAt,
                recordedAt.plus(1, ChronoUnit.MICROS),
                List.of(),
                null,
                null,
                Objects.requireNonNull(eventId, "eventId")));
    }

    Selection selection() {
        return selection;
    }

    ReplayPace pace() {
        return pace;
    }

    @Nullable
    Integer canary() {
        return canary;
    }

    boolean canaryGoesOn() {
        return canaryGoesOn;
    }

    @Nullable
    Double stopAtFailureRate() {
        return stopAtFailureRate;
    }

    @Nullable
    String reason() {
        return reason;
    }

    boolean needsReason(long items) {
        return items > reasonAbove;
    }

    int reasonAbove() {
        return reasonAbove;
    }

    int replayLimit() {
        return replayLimit;
    }

    Duration dedupPeriod() {
        return dedupPeriod;
    }

    @Nullable
    Duration logRetention() {
        return logRetention;
    }

    /** The selection and the options that were given, for the audit. */
    Map<String, String> describe() {
        Map<String, String> all = new TreeMap<>(selection.describe());
        add(all, "ratePerSecond", pace.ratePerSecond());
        add(all, "maxInFlight", pace.maxInFlight());
        add(all, "canary", canary);
        add(all, "canaryGoesOn", canary == null ? null : canaryGoesOn);
        add(all, "stopAtFailureRate", stopAtFailureRate);
        return all;
    }

    private static void add(Map<String, String> all, String name, @Nullable Object value) {
        if (value != null) {
            all.put(name, value.toString());
        }
    }

    /** Collects the options; each is checked as it is given. */
    public static final class Builder {

        private final Selection selection;
        private ReplayPace pace = ReplayPace.UNLIMITED;
        private @Nullable Integer canary;
        private boolean canaryGoesOn;
        private @Nullable Double stopAtFailureRate;
        private @Nullable String reason;
        private int reasonAbove = REASON_ABOVE;
        private int replayLimit = REPLAY_LIMIT;
        private Duration dedupPeriod = DEDUP_PERIOD;
        private @Nullable Duration logRetention;

        private Builder(Selection selection) {
            this.selection = selection;
        }

        /** How many items may be sent a second; null: as fast as they go. */
        public Builder ratePerSecond(@Nullable Double rate) {
            this.pace = pace.ratePerSecond(rate);
            return this;
        }

        /** How many items a subscription has at its sink at a time, over all lanes; null: as many as they may. */
        public Builder maxInFlight(@Nullable Integer most) {
            this.pace = pace.maxInFlight(most);
            return this;
        }

        /**
         * The first so many go before the others.
         *
         * @param goesOn whether the others follow by themselves if all of those were delivered, or wait for a go
         */
        public Builder canary(int count, boolean goesOn) {
            this.canary = Requests.between("canary", count, 1, Replays.LARGEST);
            this.canaryGoesOn = goesOn;
            return this;
        }

        /** From 0 to 1: if a greater share of the items that were sent has failed, the replay pauses. */
        public Builder stopAtFailureRate(@Nullable Double rate) {
            Requests.require(
                    rate == null || (rate >= 0 && rate <= 1),
                    "stopAtFailureRate is " + rate + "; it must be from 0 to 1");
            this.stopAtFailureRate = rate;
            return this;
        }

        /** Why; needed above {@link #reasonAbove} items. */
        public Builder reason(@Nullable String reason) {
            this.reason = Requests.optional("reason", reason, Requests.MAX_TEXT);
            return this;
        }

        /** {@value #REASON_ABOVE} unless told otherwise. */
        public Builder reasonAbove(int items) {
            this.reasonAbove = Requests.between("reasonAbove", items, 0, Integer.MAX_VALUE);
            return this;
        }

        /** A dead letter that was replayed in vain so often is skipped; {@value #REPLAY_LIMIT} unless told otherwise. */
        public Builder replayLimit(int times) {
            this.replayLimit = Requests.between("replayLimit", times, 1, Integer.MAX_VALUE);
            return this;
        }

        /** For how long consumers know an event that comes again: the preview warns of older ones. 30 days unless told. */
        public Builder dedupPeriod(Duration period) {
            this.dedupPeriod = Objects.requireNonNull(period, "dedupPeriod");
            return this;
        }

        /** For how long the log keeps events: the preview warns of what it is about to lose. */
        public Builder logRetention(@Nullable Duration retention) {
            this.logRetention = retention;
            return this;
        }

        public ReplayRequest build() {
            return new ReplayRequest(this);
        }
    }
}
