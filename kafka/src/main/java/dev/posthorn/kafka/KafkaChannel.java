package dev.posthorn.kafka;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Secrets;
import java.time.Duration;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * One lane's producer, with a thread that feeds it: making a producer, and giving it an event, may block for as long as
 * the cluster is silent.
 *
 * <p>The first failure is the channel's end. A producer would send what follows the failed event, with sequence numbers
 * that close the gap; so it is closed inside the very callback that tells of the failure, before its network thread can
 * send again. What the broker has on its way by then it refuses, because of the gap (but see {@link Topic}).
 */
final class KafkaChannel implements Channel {

    /** Waking a thread costs more than queueing an event: without a flush it is done once in so many events. */
    private static final int EVENTS_PER_WAKE = 64;

    /** Long enough for a network thread to end that is not caught in a name lookup. */
    private static final long CLOSE_PATIENCE_MILLIS = 200;

    private record Failed(Delivery delivery, Outcome.Failure outcome) {}

    private final Map<String, Object> config;
    private final Secrets secrets;
    private final Topics topics;
    private final RecordEncoder encoder = new RecordEncoder();
    private final Queue<Delivery> queue = new ConcurrentLinkedQueue<>();
    private final Deque<Failed> failed = new ConcurrentLinkedDeque<>();

    /** Set by the first failure: the answer to everything behind it. */
    private final AtomicReference<Outcome.@Nullable Failure> behind = new AtomicReference<>();

    private final Thread feeder;
    private volatile @Nullable Producer<byte[], byte[]> producer;
    private volatile boolean closed;
    private volatile boolean resting;
    private int sinceWake;

    KafkaChannel(String lane, Map<String, Object> config, TopicRules rules, Secrets secrets) {
        this.config = config;
        this.secrets = secrets;
        this.topics = new Topics(rules);
        this.feeder = new Thread(this::feed, "posthorn-kafka-" + lane);
        feeder.setDaemon(true);
    }

    void start() {
        feeder.start();
    }

    @Override
    public void send(RecordedEvent event, int attempt, Answer answer) {
        queue.add(new Delivery(this, event, answer));
        if (++sinceWake >= EVENTS_PER_WAKE) {
            flush();
        }
    }

    @Override
    public void flush() {
        sinceWake = 0;
        if (resting) {
            wake();
        }
    }

    void wake() {
        LockSupport.unpark(feeder);
    }

    private void feed() {
        try {
            while (!closed) {
                Delivery next = queue.poll();
                if (behind.get() != null) {
                    answerFailed();
                }
                if (next == null) {
                    rest();
                } else if (behind.get() != null) {
                    answerBehind(next);
                } else {
                    hand(next);
                }
            }
        } finally {
            endProducer();
        }
    }

    private void rest() {
        resting = true;
        if (queue.isEmpty() && failed.isEmpty() && !closed) {
            LockSupport.park(this);
        }
        resting = false;
    }

    private void hand(Delivery delivery) {
        Topic topic = topics.of(delivery.event().event());
        delivery.goesTo(topic);
        if (topic.brokenRule() != null) {
            refuse(
                    delivery,
                    new Outcome.Reject(
                            ErrorClass.INVALID, "topic '" + topic.name() + "' is impossible: " + topic.brokenRule()));
            return;
        }
        try {
            Producer<byte[], byte[]> open = openProducer();
            byte[] key = RecordEncoder.key(delivery.event().event());
            if (key == null || mayFollow(delivery, topic, topic.partitionOf(key, open))) {
                give(open, encoder.encode(delivery.event(), topic.name(), key), delivery);
            }
        } catch (InterruptException e) {
            // Only close() interrupts, and after it no answer is owed.
            return;
        } catch (RuntimeException e) {
            failed(delivery, e);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // Whatever the future would tell, the callback is told too.
    private static void give(
            Producer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record, Delivery delivery) {
        producer.send(record, delivery);
    }

    private Producer<byte[], byte[]> openProducer() {
        Producer<byte[], byte[]> open = producer;
        if (open == null) {
            open = new KafkaProducer<>(config);
            producer = open;
        }
        return open;
    }

    /** Waits until the partition's first event has arrived, unless this is it. If that fails, so does this one. */
    private boolean mayFollow(Delivery delivery, Topic topic, int partition) {
        if (topic.hasMet(partition)) {
            return true;
        }
        if (topic.isFirst(partition)) {
            delivery.isFirstOf(partition);
            return true;
        }
        while (!topic.hasMet(partition) && behind.get() == null && !closed) {
            LockSupport.park(this);
        }
        if (behind.get() != null) {
            answerBehind(delivery);
            return false;
        }
        return !closed;
    }

    /** Called by the feeder if the event was not even taken by the producer, otherwise by the network thread. */
    void failed(Delivery delivery, Exception error) {
        if (closed) {
            return;
        }
        Outcome.Failure outcome = classify(delivery, error);
        if (Thread.currentThread() == feeder) {
            refuse(delivery, outcome);
        } else {
            lose(delivery, outcome);
        }
    }

    private Outcome.Failure classify(Delivery delivery, Exception error) {
        Outcome.Failure instead = behind.get();
        if (instead != null && !FailureClassifier.isTheEvents(error)) {
            return instead;
        }
        Outcome.Failure outcome = FailureClassifier.classify(error, delivery.topicName());
        return outcome instanceof Outcome.Unavailable
                ? new Outcome.Unavailable(outcome.errorClass(), secrets.hiddenIn(outcome.reason()))
                : outcome;
    }

    /** Nothing after this event is sent. What was sent before it is in good order and gets its answers first. */
    private void refuse(Delivery delivery, Outcome.Failure outcome) {
        Producer<byte[], byte[]> open = producer;
        if (open != null && behind.get() == null) {
            awaitAnswers(open);
        }
        if (isFirstFailure(outcome)) {
            delivery.answer(outcome);
        } else {
            answerBehind(delivery);
        }
    }

    private static void awaitAnswers(Producer<byte[], byte[]> open) {
        try {
            open.flush();
        } catch (KafkaException closedMeanwhile) {
            // Then there is nothing to wait for, and the loop sees why.
            return;
        }
    }

    private boolean isFirstFailure(Outcome.Failure outcome) {
        return behind.compareAndSet(
                null,
                new Outcome.Unavailable(
                        outcome.errorClass(), "not sent, because an earlier event failed: " + outcome.reason()));
    }

    /** On the network thread, which must not send anything more. Rejected events are told first: they are the cause. */
    private void lose(Delivery delivery, Outcome.Failure outcome) {
        Producer<byte[], byte[]> open = producer;
        if (behind.get() == null && isFirstFailure(outcome) && open != null) {
            open.close(Duration.ZERO);
        }
        if (outcome instanceof Outcome.Reject) {
            failed.addFirst(new Failed(delivery, outcome));
        } else {
            failed.addLast(new Failed(delivery, outcome));
        }
        wake();
    }

    /** Answers when the network thread has ended, and so has told everything it knows. */
    private void answerFailed() {
        endProducer();
        for (Failed next = failed.poll(); next != null; next = failed.poll()) {
            next.delivery().answer(next.outcome());
        }
    }

    private void answerBehind(Delivery delivery) {
        answerFailed();
        delivery.answer(Objects.requireNonNull(behind.get()));
    }

    private void endProducer() {
        Producer<byte[], byte[]> open = producer;
        if (open != null) {
            // The interrupt that ended a wait must not end this one too: the network thread has to be seen to end.
            Thread.interrupted();
            try {
                open.close(Duration.ZERO);
            } catch (InterruptException closedMeanwhile) {
                Thread.interrupted();
                open.close(Duration.ZERO);
            }
            producer = null;
        }
    }

    @Override
    public void close() {
        closed = true;
        feeder.interrupt();
        if (producer != null) {
            try {
                feeder.join(CLOSE_PATIENCE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
