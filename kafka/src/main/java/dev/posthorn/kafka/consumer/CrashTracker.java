package dev.posthorn.kafka.consumer;

import dev.posthorn.inbox.ConsumerListener.Partition;
import dev.posthorn.inbox.Consumption;
import dev.posthorn.inbox.Counted;
import dev.posthorn.inbox.Hands;
import dev.posthorn.subscription.RetryPolicy;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the event over which members crash, one after the other. A member writes down which partitions it has, and who
 * finds that of one that did not give its own up knows that this one may have died over an event in its hands. Which
 * one, nobody knows: so the heir counts every event that could have been there before it hands it over. Should it die
 * as well, what it had counted are the suspects. The next one hands these over one at a time with nothing else in hand,
 * so that the attempts of the one that kills are used up, and nobody else's.
 *
 * <p>Events that never fail, in partitions that were given up in order, cost nothing of it.
 */
final class CrashTracker {

    private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

    /** Meanwhile no handler is begun, so not for ever: a handler that takes long would keep all others waiting. */
    private static final long WAIT_FOR_OTHERS_MILLIS = 5_000;

    private final String consumer;
    private final Consumption consumption;
    private final int mostInHand;
    private final UUID member = UUID.randomUUID();

    /** @param mostInHand how many records a member has fetched and not done, at most */
    CrashTracker(String consumer, Consumption consumption, int mostInHand) {
        this.consumer = consumer;
        this.consumption = consumption;
        this.mostInHand = mostInHand;
    }

    /** What can fail is done by the threads that call handlers: the one that polls Kafka must not wait for a database. */
    void begin(Collection<AssignedPartition> partitions) throws SQLException {
        for (AssignedPartition partition : partitions) {
            begin(partition);
        }
    }

    private void begin(AssignedPartition partition) throws SQLException {
        synchronized (partition.beginning()) {
            if (!partition.isBegun()) {
                long first = partition.undone().orElse(0);
                partition.inherit(new InheritedAttempts(consumption.begin(id(partition), member, first), mostInHand));
                tell(partition);
            }
        }
    }

    private void tell(AssignedPartition partition) {
        if (partition.isOrphaned()) {
            log.info(
                    "Consumer {}: {} was not given up in order. Its member may have died over an event, so attempts are"
                            + " counted before they are made",
                    consumer,
                    partition);
        }
    }

    /** Everything that was being handled has ended; an heir need not be careful, unless this one still was. */
    void end(Collection<AssignedPartition> partitions) {
        List<Partition> ended = partitions.stream()
                .filter(AssignedPartition::isBegun)
                .filter(partition -> !partition.isWatching())
                .map(CrashTracker::id)
                .toList();
        try {
            consumption.end(ended, member);
        } catch (Exception e) {
            log.info(
                    "Consumer {}: could not write down that {} were given up in order: {}. The next member goes carefully",
                    consumer,
                    ended,
                    e.getMessage());
        }
    }

    /** Whether it is to be counted before its handler gets it. */
    static boolean isCounted(FetchedRecord fetched) {
        return fetched.attempts() > 0
                || (fetched.isWatched() && fetched.partition().isOrphaned());
    }

    /** Whether nothing else may be in hand meanwhile. One that has failed here has shown that it ends nothing. */
    static boolean isSuspect(FetchedRecord fetched) {
        return fetched.partition().isOrphaned()
                && fetched.earlier() != null
                && fetched.failures().isEmpty();
    }

    /** Whether it has had all its attempts, and ended the process by the last one: nothing else was in hand then. */
    static boolean isDeadly(FetchedRecord fetched, RetryPolicy retry) {
        Counted earlier = fetched.earlier();
        return isSuspect(fetched) && earlier != null && earlier.alone() && retry.isExhausted(earlier.attempts());
    }

    /** Writes down the attempts that are about to be made, of those where it matters. Gives them. */
    List<Counted> count(List<FetchedRecord> all) throws SQLException {
        List<FetchedRecord> counted =
                all.stream().filter(CrashTracker::isCounted).toList();
        List<Counted> attempts = counted.stream().map(CrashTracker::attempt).toList();
        if (!attempts.isEmpty()) {
            Set<Counted> written = consumption.count(
                    attempts,
                    counted.stream().map(each -> each.event().source()).toList());
            all.stream().filter(each -> written.contains(attempt(each))).forEach(FetchedRecord::wasInHand);
        }
        return attempts;
    }

    static Counted attempt(FetchedRecord fetched) {
        return new Counted(
                id(fetched.partition()),
                fetched.record().offset(),
                fetched.event().id(),
                fetched.attempts() + 1,
                isSuspect(fetched));
    }

    /** Whether nothing else is in hand now, nor will be until {@link Hands#alone()} is given back. */
    static boolean tryAlone() throws InterruptedException {
        return Hands.alone().tryLock(WAIT_FOR_OTHERS_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static Partition id(AssignedPartition partition) {
        TopicPartition id = partition.id();
        return new Partition(id.topic(), id.partition());
    }
}
