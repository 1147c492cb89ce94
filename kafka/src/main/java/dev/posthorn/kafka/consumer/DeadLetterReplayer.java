package dev.posthorn.kafka.consumer;

import dev.posthorn.error.Outage;
import dev.posthorn.inbox.ConsumerListener;
import dev.posthorn.inbox.Consumption;
import dev.posthorn.inbox.Effect;
import dev.posthorn.inbox.FailedAttempt;
import dev.posthorn.inbox.Once;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Finds the dead letters of a consumer in its topics and replays them one at a time. */
final class DeadLetterReplayer {

    private final String consumer;
    private final Set<String> topics;
    private final Consumption consumption;
    private final RecordReader recordReader;
    private final ConsumerSettings kafka;
    private final ConsumerListener listener;

    DeadLetterReplayer(ConsumerParts parts, Set<String> topics, RecordReader recordReader, ConsumerSettings kafka) {
        this.consumer = parts.name();
        this.topics = topics;
        this.consumption = parts.consumption();
        this.recordReader = recordReader;
        this.kafka = kafka;
        this.listener = parts.listener();
    }

    /** What became of a letter. */
    enum Fate {
        DELIVERED,
        FAILED,
        SKIPPED
    }

    /**
     * A record of a topic of dead letters.
     *
     * @param letter null if it is no letter of this consumer, or was replayed before
     */
    record Found(
            ConsumerRecord<byte[], byte[]> record, @Nullable DeadLetterRecord letter) {

        boolean isOpen() {
            return letter != null;
        }

        DeadLetterRecord open() {
            return Objects.requireNonNull(letter, "it is not open");
        }
    }

    DeadLetterTopicReader reader() {
        return new DeadLetterTopicReader(kafka.replayConsumer(), topics);
    }

    DeadLetterTopic topic() {
        return new DeadLetterTopic(consumer, consumption, kafka.producer(), ConsumerSettings.SEND_TIMEOUT);
    }

    /** The next records; none if there are no more. */
    List<Found> next(DeadLetterTopicReader reader) {
        List<ConsumerRecord<byte[], byte[]>> records = reader.next();
        List<DeadLetterRecord> letters = records.stream()
                .flatMap(record -> DeadLetterRecord.of(record, consumer).stream())
                .toList();
        Set<UUID> replayed = replayed(letters);
        return records.stream()
                .map(record -> new Found(record, open(record, replayed).orElse(null)))
                .toList();
    }

    private Optional<DeadLetterRecord> open(ConsumerRecord<byte[], byte[]> record, Set<UUID> replayed) {
        return DeadLetterRecord.of(record, consumer).filter(letter -> !replayed.contains(letter.id()));
    }

    private Set<UUID> replayed(List<DeadLetterRecord> letters) {
        try {
            return letters.isEmpty()
                    ? Set.of()
                    : consumption.replayed(
                            letters.stream().map(DeadLetterRecord::id).toList());
        } catch (Exception e) {
            throw ended("looking for what was replayed before failed", e);
        }
    }

    /** Hands it to the handler. If that throws, it is a letter again. */
    Fate handle(DeadLetterRecord letter, DeadLetterTopic topic) {
        ConsumerRecord<byte[], byte[]> record = letter.original();
        FetchedRecord fetched = recordReader.read(
                record, new AssignedPartition(new TopicPartition(record.topic(), record.partition())));
        AtomicBoolean called = new AtomicBoolean();
        long started = System.nanoTime();
        try {
            if (!fetched.isReadable()) {
                called.set(true);
                throw fetched.whyUnreadable();
            }
            return told(consumption.takeLetter(letter.id(), fetched.event(), () -> called.set(true)));
        } catch (Throwable e) { // An error too: a message that overflows the stack must not end the replay.
            if (!called.get() || Outage.isOne(e)) {
                throw ended(fetched.event() + " could not be handed over", e);
            }
            fetched.failed(FailedAttempt.since(started, e));
        }
        return failed(letter, fetched, topic);
    }

    private Fate told(Once<Integer> once) {
        boolean fresh = once instanceof Once.Processed<Integer> processed && processed.result() > 0;
        if (fresh) {
            listener.processed(consumer, 1);
        } else {
            listener.duplicates(consumer, 1);
        }
        return fresh ? Fate.DELIVERED : Fate.SKIPPED;
    }

    private Fate failed(DeadLetterRecord letter, FetchedRecord fetched, DeadLetterTopic topic) {
        FailedAttempt failure = fetched.failures().get(0);
        int attempts = letter.attempts() + 1;
        Fate fate = pass(letter, Fate.FAILED, () -> topic.keep(fetched.record(), failure, attempts));
        if (fate == Fate.FAILED) {
            listener.deadLettered(consumer, fetched.event(), attempts, failure.failure());
        }
        return fate;
    }

    /** Sends it to the topic that it came from, as it was. */
    Fate sendBack(DeadLetterRecord letter, DeadLetterTopic topic) {
        return pass(letter, Fate.DELIVERED, () -> topic.sendBack(letter.original()));
    }

    /** Something that is done in Kafka. A crash at the wrong moment does it again, as with any letter. */
    @FunctionalInterface
    private interface Sending {
        void run() throws Exception;
    }

    private Fate pass(DeadLetterRecord letter, Fate fate, Sending sending) {
        try {
            Effect<Boolean, Exception> effect = connection -> {
                sending.run();
                return true;
            };
            return consumption.passLetter(letter.id(), effect).isDuplicate() ? Fate.SKIPPED : fate;
        } catch (Exception e) {
            throw ended("a record could not be sent", e);
        }
    }

    private IllegalStateException ended(String what, Throwable cause) {
        if (cause instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return new IllegalStateException(
                "the replay of the dead letters of " + this + " has ended early: " + what + ": " + cause.getMessage()
                        + ". What is pending is in the topic as before; run it again",
                cause);
    }

    @Override
    public String toString() {
        return "consumer " + consumer + " in " + topics;
    }
}
