package dev.posthorn.kafka;

import java.util.concurrent.atomic.AtomicIntegerArray;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * A topic as one channel's producer sees it.
 *
 * <p>A broker refuses a batch that follows a failed one of the same producer and partition, by its sequence number, but
 * only once it knows the producer: of one it has never heard it takes whatever number comes. So if the very first batch
 * to a partition failed, the ones on their way behind it would be taken. Therefore a partition gets a first keyed event
 * alone, and the next when that one has arrived. This costs a few round trips in the life of a producer.
 */
final class Topic {

    private static final int UNKNOWN = 0;
    private static final int FIRST_ON_ITS_WAY = 1;
    private static final int MET = 2;

    private final String name;
    private final @Nullable String brokenRule;
    private @Nullable AtomicIntegerArray partitions;

    Topic(String name) {
        this.name = name;
        this.brokenRule = TopicTemplate.brokenRule(name);
    }

    String name() {
        return name;
    }

    /** Kafka's rule that the name breaks; null for a legal one. */
    @Nullable
    String brokenRule() {
        return brokenRule;
    }

    /** The partition Kafka's partitioner will choose. Blocks the first time, until the topic is known. */
    int partitionOf(byte[] key, Producer<byte[], byte[]> producer) {
        AtomicIntegerArray known = partitions;
        if (known == null) {
            known = new AtomicIntegerArray(producer.partitionsFor(name).size());
            partitions = known;
        }
        return Utils.toPositive(Utils.murmur2(key)) % known.length();
    }

    boolean isFirst(int partition) {
        return partitions != null && partitions.compareAndSet(partition, UNKNOWN, FIRST_ON_ITS_WAY);
    }

    boolean hasMet(int partition) {
        return partitions != null && partitions.get(partition) == MET;
    }

    void meet(int partition) {
        if (partitions != null) {
            partitions.set(partition, MET);
        }
    }
}
