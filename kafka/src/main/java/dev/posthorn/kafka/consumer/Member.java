package dev.posthorn.kafka.consumer;

import dev.posthorn.inbox.ConsumerListener;
import dev.posthorn.inbox.ConsumerListener.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member of the consumer group: fetches records into the queues and commits what is done. It polls all the time, however
 * long a handler takes, so the group never takes it for dead while it lives. The one thread that touches Kafka's consumer.
 */
final class Member implements Runnable, ConsumerRebalanceListener {

    private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

    private static final Duration POLL = Duration.ofMillis(100);
    /** Nothing is fetched then, so nothing would end the wait when there is room again. */
    private static final Duration POLL_WHILE_FULL = Duration.ofMillis(5);

    private static final long COMMIT_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LAG_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final Duration ERROR_PAUSE = Duration.ofSeconds(1);

    /** How long a partition that another member is to have waits for a handler that is still at work on it. */
    private static final Duration HAND_OVER = Duration.ofSeconds(30);

    private final String name;
    private final Set<String> topics;
    private final Consumer<byte[], byte[]> consumer;
    private final RecordReader reader;
    private final KeyQueues queues;
    private final CrashTracker crashTracker;
    private final ConsumerListener listener;
    private final Map<TopicPartition, AssignedPartition> assigned = new HashMap<>();
    private boolean full;
    private long committedAt = System.nanoTime();
    private long laggedAt = System.nanoTime();
    private volatile Map<TopicPartition, Long> lag = Map.of();
    private volatile boolean stopping;

    Member(ConsumerParts parts, Set<String> topics, Consumer<byte[], byte[]> consumer, RecordReader reader) {
        this.name = parts.name();
        this.topics = topics;
        this.consumer = consumer;
        this.reader = reader;
        this.queues = parts.queues();
        this.crashTracker = parts.crashTracker();
        this.listener = parts.listener();
    }

    Map<TopicPartition, Long> lag() {
        return lag;
    }

    void stop() {
        stopping = true;
    }

    @Override
    public void run() {
        try {
            consumer.subscribe(topics, this);
            while (!stopping) {
                pass();
            }
        } finally {
            leave();
        }
    }

    private void pass() {
        try {
            take(consumer.poll(full ? POLL_WHILE_FULL : POLL));
            limit();
            commitNowAndThen();
            lookAtLagNowAndThen();
        } catch (WakeupException e) {
            log.debug("Consumer {}: woken", name);
        } catch (KafkaException e) {
            log.warn("Consumer {}: {}. Trying again in {} ms", name, e.getMessage(), ERROR_PAUSE.toMillis(), e);
            pause();
        } catch (Throwable bug) {
            log.error("Consumer {}: an error nobody expected; going on", name, bug);
            pause();
        }
    }

    private void take(ConsumerRecords<byte[], byte[]> records) {
        if (records.isEmpty()) {
            return;
        }
        records.partitions().forEach(this::noteEnd);
        List<FetchedRecord> fetched = new ArrayList<>(records.count());
        for (ConsumerRecord<byte[], byte[]> record : records) {
            AssignedPartition partition = assigned.get(new TopicPartition(record.topic(), record.partition()));
            if (partition != null) {
                partition.take(record.offset());
                fetched.add(reader.read(record, partition));
            }
        }
        queues.add(fetched);
    }

    private void noteEnd(TopicPartition id) {
        AssignedPartition partition = assigned.get(id);
        if (partition != null) {
            OptionalLong lag = consumer.currentLag(id);
            partition.endsAt(lag.isPresent() ? consumer.position(id) + lag.getAsLong() : Long.MAX_VALUE);
        }
    }

    /** Fetches nothing while there is too much, and again when half of it is done. */
    private void limit() {
        double fill = queues.fill();
        if (!full && fill >= 1) {
            full = true;
        } else if (full && fill <= 0.5) {
            full = false;
            consumer.resume(consumer.paused());
        }
        if (full) {
            // Each time: what a rebalance has brought since is not paused.
            consumer.pause(consumer.assignment());
        }
    }

    private void commitNowAndThen() {
        long now = System.nanoTime();
        if (now - committedAt < COMMIT_INTERVAL_NANOS) {
            return;
        }
        committedAt = now;
        Map<TopicPartition, OffsetAndMetadata> offsets = toCommit(assigned.values());
        if (!offsets.isEmpty()) {
            consumer.commitAsync(offsets, (committed, e) -> {
                if (e == null) {
                    noteCommitted(committed);
                } else {
                    log.debug("Consumer {}: a commit failed and is made again: {}", name, e.getMessage());
                }
            });
        }
    }

    private static Map<TopicPartition, OffsetAndMetadata> toCommit(Collection<AssignedPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (AssignedPartition partition : partitions) {
            OptionalLong offset = partition.toCommit();
            if (offset.isPresent()) {
                offsets.put(partition.id(), new OffsetAndMetadata(offset.getAsLong()));
            }
        }
        return offsets;
    }

    private void noteCommitted(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((id, offset) -> {
            AssignedPartition partition = assigned.get(id);
            if (partition != null) {
                partition.committed(offset.offset());
            }
        });
    }

    private void lookAtLagNowAndThen() {
        long now = System.nanoTime();
        if (now - laggedAt < LAG_INTERVAL_NANOS) {
            return;
        }
        laggedAt = now;
        Map<TopicPartition, Long> found = new HashMap<>();
        assigned.forEach((id, partition) -> {
            OptionalLong behindPosition = consumer.currentLag(id);
            if (behindPosition.isPresent()) {
                long position = consumer.position(id);
                long undone = partition.undone().orElse(position);
                found.put(id, behindPosition.getAsLong() + position - Math.min(undone, position));
            }
        });
        tellLag(found);
    }

    private void tellLag(Map<TopicPartition, Long> found) {
        lag = Map.copyOf(found);
        Map<Partition, Long> records = new HashMap<>();
        found.forEach((id, count) -> records.put(new Partition(id.topic(), id.partition()), count));
        listener.lag(name, records);
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        partitions.forEach(id -> assigned.put(id, new AssignedPartition(id)));
    }

    /** What is being handled comes to its end first, so that the next member does not begin with it too. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        giveUp(partitions, true);
    }

    /** Another member has them already. What is being handled here meets it in the inbox. */
    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        log.info("Consumer {}: the group has given {} to others before this member knew", name, partitions);
        giveUp(partitions, false);
    }

    private void giveUp(Collection<TopicPartition> ids, boolean orderly) {
        Set<AssignedPartition> given = new HashSet<>();
        for (TopicPartition id : ids) {
            AssignedPartition partition = assigned.remove(id);
            if (partition != null) {
                partition.give();
                given.add(partition);
            }
        }
        queues.dropGiven();
        if (orderly && !given.isEmpty()) {
            boolean idle = awaitIdle(given);
            commitNow(given);
            if (idle) {
                crashTracker.end(given);
            }
        }
    }

    private boolean awaitIdle(Set<AssignedPartition> partitions) {
        try {
            boolean idle = queues.awaitIdle(partitions, HAND_OVER);
            if (!idle) {
                log.warn(
                        "Consumer {}: a handler has been at work for {} s on a partition that another member is to have;"
                                + " not waiting any longer. The event comes there too and has its effect once",
                        name,
                        HAND_OVER.toSeconds());
            }
            return idle;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void commitNow(Collection<AssignedPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> offsets = toCommit(partitions);
        if (offsets.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync(offsets);
        } catch (KafkaException e) {
            log.info(
                    "Consumer {}: a last commit failed: {}. What was done comes again and is known by its inbox entries",
                    name,
                    e.getMessage());
        }
    }

    private void leave() {
        try {
            giveUp(List.copyOf(assigned.keySet()), true);
        } finally {
            tellLag(Map.of());
            consumer.close();
        }
    }

    private static void pause() {
        try {
            TimeUnit.NANOSECONDS.sleep(ERROR_PAUSE.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
