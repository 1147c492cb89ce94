package dev.posthorn.kafka.consumer;

import dev.posthorn.kafka.consumer.DeadLetterReplayer.Fate;
import dev.posthorn.kafka.consumer.DeadLetterReplayer.Found;
import dev.posthorn.sink.Cause;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays the dead letters that a consumer has in topics: each goes to its handler through its inbox, or back to its topic.
 * A letter that was replayed is not replayed again, by whomever and whenever: an inbox entry of its own says so, in one
 * transaction with the effect. One that fails again is a new letter in the topic, with the new reason.
 *
 * <p>Any number may run at the same time, in any process, beside the consumer or without it.
 */
public final class TopicReplay {

    private static final Logger log = LoggerFactory.getLogger(TopicReplay.class);

    private final DeadLetterReplayer replayer;
    private final Predicate<DeadLetterRecord> filter;
    private final int limit;
    private final boolean toTopic;

    private TopicReplay(Builder builder) {
        this.replayer = builder.replayer;
        this.filter = builder.filter;
        this.limit = builder.limit;
        this.toTopic = builder.toTopic;
    }

    /**
     * What a replay would take, without doing it.
     *
     * @param letters how many, up to the limit
     * @param causes how many of each cause, which is a reason without what differs from one event to the next
     * @param more whether there are others beyond the limit
     */
    public record Preview(long letters, Map<String, Long> causes, boolean more) {

        public Preview {
            causes = Map.copyOf(causes);
        }
    }

    /**
     * How far a replay is.
     *
     * @param requested how many letters it was to take: those of the preview with which it began
     * @param delivered whose handler had its effect, or that are in their topic again
     * @param failed that are letters again, with the new reason
     * @param skipped whose event had had its effect before, or that another replay took meanwhile
     */
    public record Account(long requested, long delivered, long failed, long skipped) {

        /** Those that are still to come; what no replay has taken is in the topic as before. */
        public long pending() {
            return Math.max(0, requested - done());
        }

        private long done() {
            return delivered + failed + skipped;
        }

        private Account plus(Fate fate) {
            return switch (fate) {
                case DELIVERED -> new Account(requested, delivered + 1, failed, skipped);
                case FAILED -> new Account(requested, delivered, failed + 1, skipped);
                case SKIPPED -> new Account(requested, delivered, failed, skipped + 1);
            };
        }
    }

    /** Looks at the letters that were not replayed yet, until there are as many as the limit says. */
    public Preview preview() {
        Map<String, Long> causes = new TreeMap<>();
        long letters = 0;
        try (DeadLetterTopicReader reader = replayer.reader()) {
            for (List<Found> some = replayer.next(reader); !some.isEmpty(); some = replayer.next(reader)) {
                for (Found found : some) {
                    if (isWanted(found) && letters == limit) {
                        return new Preview(letters, causes, true);
                    }
                    if (isWanted(found)) {
                        letters++;
                        causes.merge(Cause.of(found.open().errorMessage()), 1L, Long::sum);
                    }
                }
            }
        }
        return new Preview(letters, causes, false);
    }

    private boolean isWanted(Found found) {
        return found.isOpen() && filter.test(found.open());
    }

    /** Replays them, one after the other, on this thread. */
    public Account run() {
        return run(account -> {});
    }

    /**
     * The same. If it throws, because the database or the brokers are away, what is pending is in the topic as before, and
     * another run goes on with it.
     *
     * @param progress told after each letter
     */
    public Account run(Consumer<Account> progress) {
        long requested = preview().letters();
        try (DeadLetterTopicReader reader = replayer.reader();
                DeadLetterTopic topic = replayer.topic()) {
            Account account = run(new Account(requested, 0, 0, 0), reader, topic, progress);
            log.info("{}: {}", this, account);
            return account;
        }
    }

    private Account run(
            Account beginning, DeadLetterTopicReader reader, DeadLetterTopic topic, Consumer<Account> progress) {
        Account account = beginning;
        try {
            for (List<Found> some = replayer.next(reader); !some.isEmpty(); some = replayer.next(reader)) {
                for (Found found : some) {
                    boolean wanted = isWanted(found);
                    if (wanted && account.done() >= limit) {
                        return account;
                    }
                    reader.take(found.record());
                    if (wanted) {
                        DeadLetterRecord letter = found.open();
                        account = account.plus(
                                toTopic ? replayer.sendBack(letter, topic) : replayer.handle(letter, topic));
                        progress.accept(account);
                    }
                    if (wanted || !found.isOpen()) {
                        reader.done(found.record());
                    }
                }
            }
            return account;
        } finally {
            reader.commit();
        }
    }

    @Override
    public String toString() {
        return "replay of the dead letters of " + replayer + (toTopic ? " to their topics" : "");
    }

    /** Which letters, and where to. Left out: all, up to 10,000, to the consumer's handler. */
    public static final class Builder {

        private static final int DEFAULT_LIMIT = 10_000;

        private final DeadLetterReplayer replayer;
        private Predicate<DeadLetterRecord> filter = letter -> true;
        private int limit = DEFAULT_LIMIT;
        private boolean toTopic;

        Builder(DeadLetterReplayer replayer) {
            this.replayer = replayer;
        }

        /** Only those whose reason contains this, in whatever case. */
        public Builder errorMessage(String part) {
            String lower = part.toLowerCase(Locale.ROOT);
            return and(letter -> letter.errorMessage().toLowerCase(Locale.ROOT).contains(lower));
        }

        /** Only those of this class, such as {@code rejected}. */
        public Builder errorClass(String errorClass) {
            Objects.requireNonNull(errorClass, "errorClass");
            return and(letter -> letter.errorClass().equals(errorClass));
        }

        /** Only those that failed at this time or later. */
        public Builder from(Instant time) {
            Objects.requireNonNull(time, "time");
            return and(letter -> !letter.failedAt().isBefore(time));
        }

        /** Only those that failed before. */
        public Builder to(Instant time) {
            Objects.requireNonNull(time, "time");
            return and(letter -> letter.failedAt().isBefore(time));
        }

        private Builder and(Predicate<DeadLetterRecord> condition) {
            filter = filter.and(condition);
            return this;
        }

        /** How many at most; the others are left for another replay. */
        public Builder limit(int letters) {
            if (letters < 1) {
                throw ConsumerSettings.refuse("limit is " + letters + "; it must be at least 1");
            }
            this.limit = letters;
            return this;
        }

        /** Back to the topics that they came from, where every consumer meets them again, and not to the handler. */
        public Builder toTopic() {
            this.toTopic = true;
            return this;
        }

        public TopicReplay build() {
            return new TopicReplay(this);
        }
    }
}
