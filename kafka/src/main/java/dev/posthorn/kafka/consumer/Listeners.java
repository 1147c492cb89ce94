package dev.posthorn.kafka.consumer;

import dev.posthorn.event.Event;
import dev.posthorn.inbox.ConsumerListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells everybody, and logs what an operator has to know. What a listener throws has no effect. */
final class Listeners implements ConsumerListener {

    private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

    private final List<ConsumerListener> listeners;

    Listeners(List<ConsumerListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public void processed(String consumer, int events) {
        tell(each -> each.processed(consumer, events));
    }

    @Override
    public void duplicates(String consumer, int events) {
        tell(each -> each.duplicates(consumer, events));
    }

    @Override
    public void retried(String consumer, Event event, int attempts, Throwable failure, Duration delay) {
        log.info(
                "Consumer {}: attempt {} of {} failed, next one in {} ms: {}",
                consumer,
                attempts,
                event,
                delay.toMillis(),
                failure.toString());
        tell(each -> each.retried(consumer, event, attempts, failure, delay));
    }

    @Override
    public void deadLettered(String consumer, Event event, int attempts, Throwable failure) {
        log.warn("Consumer {}: {} is a dead letter after {} attempts", consumer, event, attempts, failure);
        tell(each -> each.deadLettered(consumer, event, attempts, failure));
    }

    @Override
    public void lag(String consumer, Map<Partition, Long> records) {
        tell(each -> each.lag(consumer, records));
    }

    private void tell(Consumer<ConsumerListener> what) {
        for (ConsumerListener listener : listeners) {
            try {
                what.accept(listener);
            } catch (Throwable e) { // An error too, such as a class that is missing: the consumer goes on.
                log.warn("A listener of a consumer failed; that has no effect on the consumer", e);
            }
        }
    }
}
