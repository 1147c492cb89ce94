package dev.posthorn.subscription;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Filter;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who gets what, and how. The filter and the number of lanes are stored and the same for all instances: if one starts
 * with others than the stored ones, they take effect everywhere at one snapshot of the log, and the last one started
 * decides, or the greatest revision.
 *
 * @param lanes into how many shares its keys are divided: the most instances that can work for it at once
 * @param batchSize how many events one read takes at most
 * @param pollLeast how soon to look again after something was found
 * @param pollMost how long to wait at most between two looks when nothing comes
 * @param inFlightLimit how many events one instance has read beyond its persisted marks at most; also the most
 *     duplicates its crash can cause
 * @param inFlightBytes the same in bytes of payload
 * @param timeout how long an outcome may take
 * @param retry when a failed event is sent again, and when no more
 * @param ordering whether events of a key are delivered one after the other
 * @param afterDeadLetter what becomes of a key when one of its events is a dead letter
 * @param whenUnavailable whether a receiver that cannot be reached uses up an event's attempts
 * @param breakerAfter after how many keys in a row that fail with an answer at their first attempt, with nothing arriving
 *     between, a lane's receiver is taken to refuse everything
 * @param blockedKeysLimit how many keys that wait for a failed event a lane keeps in memory; others it looks up
 * @param keepAttempts of which attempts a record is kept
 * @param ratePerSecond how many events a second are handed over at most, by all instances together
 * @param revision of the document that these settings come from, if there is one whose revisions are counted: what an
 *     older revision says about filter and lanes counts no more once a newer one was served. 0: there is none
 */
public record Subscription(
        String name,
        Filter filter,
        Sink sink,
        int lanes,
        StartAt startAt,
        int batchSize,
        Duration pollLeast,
        Duration pollMost,
        int inFlightLimit,
        long inFlightBytes,
        Duration timeout,
        RetryPolicy retry,
        Ordering ordering,
        AfterDeadLetter afterDeadLetter,
        WhenUnavailable whenUnavailable,
        int breakerAfter,
        int blockedKeysLimit,
        KeepAttempts keepAttempts,
        double ratePerSecond,
        long revision) {

    /** For {@link #ratePerSecond}: as many as the sink takes. */
    public static final double UNLIMITED = Double.POSITIVE_INFINITY;

    private static final double LEAST_RATE = 0.01;
    private static final double GREATEST_RATE = 1_000_000;

    /** How much of a lease is never relied upon: a pause between looking at the clock and acting. */
    public static final Duration TRUST_MARGIN = Duration.ofSeconds(1);

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    public Subscription {
        require(NAME.matcher(name).matches(), name, "name must be letters, digits, '.', '_' and '-', at most 100");
        require(lanes >= 1 && lanes <= 256, name, "lanes is " + lanes + "; it must be 1 to 256");
        require(
                batchSize >= 1 && batchSize <= 100_000,
                name,
                "batch-size is " + batchSize + "; it must be 1 to 100000");
        require(!pollLeast.isNegative() && !pollLeast.isZero(), name, "poll-interval's least must be above zero");
        require(pollMost.compareTo(pollLeast) >= 0, name, "poll-interval's most is less than its least");
        require(inFlightLimit >= 1, name, "in-flight-limit is " + inFlightLimit + "; it must be at least 1");
        require(inFlightBytes >= 1, name, "in-flight-bytes is " + inFlightBytes + "; it must be at least 1");
        require(
                timeout.compareTo(Duration.ofMillis(1)) >= 0,
                name,
                "timeout is " + timeout + "; it must be at least 1 ms");
        require(breakerAfter >= 1, name, "breaker-after is " + breakerAfter + "; it must be at least 1");
        require(blockedKeysLimit >= 1, name, "blocked-keys-limit is " + blockedKeysLimit + "; it must be at least 1");
        require(
                ordering == Ordering.KEY || afterDeadLetter == AfterDeadLetter.CONTINUE,
                name,
                "after-dead-letter is hold, which holds a key, but ordering is none; choose continue, or ordering by key");
        require(
                ratePerSecond == UNLIMITED || (ratePerSecond >= LEAST_RATE && ratePerSecond <= GREATEST_RATE),
                name,
                "rate-per-second is " + ratePerSecond
                        + "; it must be 0.01 to 1000000, or left out for as many as the sink takes");
        require(revision >= 0, name, "revision is " + revision + "; it must not be below zero");
    }

    /** How long a process that serves it must keep its lanes at least: or they could be another's while it sends. */
    public Duration leastSessionTtl() {
        return timeout.multipliedBy(2).plus(TRUST_MARGIN);
    }

    /**
     * Refuses to be served by a process that does not keep its lanes for long enough.
     *
     * @param setting what that is called where it is set
     */
    public void requireFitting(String setting, Duration sessionTtl) {
        require(
                sessionTtl.compareTo(leastSessionTtl()) >= 0,
                name,
                "timeout is " + timeout + ", and " + setting + " is " + sessionTtl
                        + "; it must be at least twice the timeout plus " + TRUST_MARGIN + ", that is "
                        + leastSessionTtl() + ", or its lanes could be another's while a send is under way");
    }

    private static void require(boolean holds, String name, String message) {
        if (!holds) {
            throw new PosthornException(ErrorCode.INVALID_SETTING, "subscription '" + name + "': " + message);
        }
    }

    /** The same as of that revision. */
    public Subscription at(long other) {
        return new Subscription(
                name,
                filter,
                sink,
                lanes,
                startAt,
                batchSize,
                pollLeast,
                pollMost,
                inFlightLimit,
                inFlightBytes,
                timeout,
                retry,
                ordering,
                afterDeadLetter,
                whenUnavailable,
                breakerAfter,
                blockedKeysLimit,
                keepAttempts,
                ratePerSecond,
                other);
    }

    public static Builder to(String name, Sink sink) {
        return new Builder(name, sink);
    }

    /** A subscription's settings; all but the name and the sink have defaults. */
    public static final class Builder {

        private final String name;
        private final Sink sink;
        private Filter filter = Filter.ALL;
        private int lanes = 4;
        private StartAt startAt = new StartAt.Now();
        private int batchSize = 1000;
        private Duration pollLeast = Duration.ofMillis(1);
        private Duration pollMost = Duration.ofMillis(50);
        private int inFlightLimit = 10_000;
        private long inFlightBytes = 64L << 20;
        private Duration timeout = Duration.ofSeconds(10);
        private RetryPolicy retry = RetryPolicy.DEFAULT;
        private Ordering ordering = Ordering.KEY;
        private AfterDeadLetter afterDeadLetter = AfterDeadLetter.CONTINUE;
        private @Nullable WhenUnavailable whenUnavailable;
        private int breakerAfter = 10;
        private int blockedKeysLimit = 10_000;
        private KeepAttempts keepAttempts = KeepAttempts.FAILED;
        private double ratePerSecond = UNLIMITED;
        private long revision;

        private Builder(String name, Sink sink) {
            this.name = name;
            this.sink = sink;
        }

        public Builder filter(Filter filter) {
            this.filter = filter;
            return this;
        }

        public Builder lanes(int lanes) {
            this.lanes = lanes;
            return this;
        }

        public Builder fromNow() {
            this.startAt = new StartAt.Now();
            return this;
        }

        public Builder fromBeginning() {
            this.startAt = new StartAt.Beginning();
            return this;
        }

        public Builder from(Instant time) {
            this.startAt = new StartAt.At(time);
            return this;
        }

        public Builder batchSize(int batchSize) {
            this.batchSize = batchSize;
            return this;
        }

        public Builder pollInterval(Duration least, Duration most) {
            this.pollLeast = least;
            this.pollMost = most;
            return this;
        }

        public Builder inFlightLimit(int events) {
            this.inFlightLimit = events;
            return this;
        }

        public Builder inFlightBytes(long bytes) {
            this.inFlightBytes = bytes;
            return this;
        }

        public Builder timeout(Duration timeout) {
            this.timeout = timeout;
            return this;
        }

        public Builder retry(RetryPolicy retry) {
            this.retry = retry;
            return this;
        }

        public Builder ordering(Ordering ordering) {
            this.ordering = ordering;
            return this;
        }

        public Builder afterDeadLetter(AfterDeadLetter afterDeadLetter) {
            this.afterDeadLetter = afterDeadLetter;
            return this;
        }

        /** Left out: a sink that keeps the order, such as a broker, is waited for; with any other, attempts count. */
        public Builder whenUnavailable(WhenUnavailable whenUnavailable) {
            this.whenUnavailable = whenUnavailable;
            return this;
        }

        public Builder breakerAfter(int keysInRow) {
            this.breakerAfter = keysInRow;
            return this;
        }

        public Builder blockedKeysLimit(int keys) {
            this.blockedKeysLimit = keys;
            return this;
        }

        public Builder keepAttempts(KeepAttempts keepAttempts) {
            this.keepAttempts = keepAttempts;
            return this;
        }

        /** Shared by all instances, and by first sends and repeated ones. Left out: as many as the sink takes. */
        public Builder ratePerSecond(double events) {
            this.ratePerSecond = events;
            return this;
        }

        /** Left out: there is no document, and the last instance that starts decides about filter and lanes. */
        public Builder revision(long revision) {
            this.revision = revision;
            return this;
        }

        private WhenUnavailable defaultWhenUnavailable() {
            return sink.keepsOrder() ? WhenUnavailable.WAIT : WhenUnavailable.COUNT;
        }

        public Subscription build() {
            return new Subscription(
                    name,
                    filter,
                    sink,
                    lanes,
                    startAt,
                    batchSize,
                    pollLeast,
                    pollMost,
                    inFlightLimit,
                    inFlightBytes,
                    timeout,
                    retry,
                    ordering,
                    afterDeadLetter,
                    whenUnavailable == null ? defaultWhenUnavailable() : whenUnavailable,
                    breakerAfter,
                    blockedKeysLimit,
                    keepAttempts,
                    ratePerSecond,
                    revision);
        }
    }
}
