package dev.posthorn.kafka;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Outcome;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/** An event on its way through a channel. */
final class Delivery implements Callback {

    private static final int NONE = -1;

    private final KafkaChannel channel;
    private final RecordedEvent event;
    private final Answer answer;
    private @Nullable Topic topic;
    private int firstOfPartition = NONE;

    Delivery(KafkaChannel channel, RecordedEvent event, Answer answer) {
        this.channel = channel;
        this.event = event;
        this.answer = answer;
    }

    RecordedEvent event() {
        return event;
    }

    void goesTo(Topic topic) {
        this.topic = topic;
    }

    String topicName() {
        return topic == null ? "?" : topic.name();
    }

    /** The next event to this partition waits until this one has arrived. */
    void isFirstOf(int partition) {
        firstOfPartition = partition;
    }

    @Override
    public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception error) {
        if (error != null) {
            channel.failed(this, error);
            return;
        }
        if (topic != null && firstOfPartition != NONE) {
            topic.meet(firstOfPartition);
            channel.wake();
        }
        answer.with(Outcome.DELIVERED);
    }

    void answer(Outcome outcome) {
        answer.with(outcome);
    }
}
