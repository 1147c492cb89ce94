package dev.posthorn.subscription;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells several listeners, none of which can disturb the relay or each other. */
public final class SafeListener implements RelayListener {

    private static final Logger log = LoggerFactory.getLogger(SafeListener.class);

    private final List<RelayListener> listeners;

    public SafeListener(List<RelayListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    private void tell(Consumer<RelayListener> news) {
        for (RelayListener listener : listeners) {
            try {
                news.accept(listener);
            } catch (Throwable e) {
                log.error(
                        "Listener {} threw; the relay goes on",
                        listener.getClass().getName(),
                        e);
            }
        }
    }

    @Override
    public void delivered(String subscription, String lane, int events) {
        tell(each -> each.delivered(subscription, lane, events));
    }

    @Override
    public void retried(
            String subscription, RecordedEvent event, int attempts, Outcome.Failure failure, Duration delay) {
        tell(each -> each.retried(subscription, event, attempts, failure, delay));
    }

    @Override
    public void deadLettered(
            String subscription, RecordedEvent event, int attempts, Outcome.Failure failure, boolean holdsKey) {
        tell(each -> each.deadLettered(subscription, event, attempts, failure, holdsKey));
    }

    @Override
    public void breakerOpened(String subscription, String lane, String reason) {
        tell(each -> each.breakerOpened(subscription, lane, reason));
    }

    @Override
    public void breakerClosed(String subscription, String lane) {
        tell(each -> each.breakerClosed(subscription, lane));
    }

    @Override
    public void denialBegan(String subscription, String lane, String reason) {
        tell(each -> each.denialBegan(subscription, lane, reason));
    }

    @Override
    public void denialEnded(String subscription, String lane) {
        tell(each -> each.denialEnded(subscription, lane));
    }

    @Override
    public void paused(String subscription, String reason) {
        tell(each -> each.paused(subscription, reason));
    }

    @Override
    public void leaseLost(String subscription, String lane, int inFlight) {
        tell(each -> each.leaseLost(subscription, lane, inFlight));
    }

    @Override
    public void retentionHeld(String subscription, Duration age, long events) {
        tell(each -> each.retentionHeld(subscription, age, events));
    }

    @Override
    public void overtaken(String subscription, RecordedEvent event) {
        tell(each -> each.overtaken(subscription, event));
    }
}
