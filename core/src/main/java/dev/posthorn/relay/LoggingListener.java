package dev.posthorn.relay;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what an operator may have to act on. */
public final class LoggingListener implements RelayListener {

    private static final Logger log = LoggerFactory.getLogger(LoggingListener.class);

    @Override
    public void retried(
            String subscription, RecordedEvent event, int attempts, Outcome.Failure failure, Duration delay) {
        log.debug(
                "Subscription {}: event {} failed (attempt {}: {}, {}); again in {} ms",
                subscription,
                event.event().id(),
                attempts,
                failure.errorClass().label(),
                failure.reason(),
                delay.toMillis());
    }

    @Override
    public void deadLettered(
            String subscription, RecordedEvent event, int attempts, Outcome.Failure failure, boolean holdsKey) {
        log.warn(
                "Subscription {}: event {} (type {}, key {}) is a DEAD LETTER after {} attempts: {}, {}. {} Remove the"
                        + " cause and replay it, or discard it",
                subscription,
                event.event().id(),
                event.event().type(),
                event.event().key(),
                attempts,
                failure.errorClass().label(),
                failure.reason(),
                holdsKey ? "Later events of its key wait until then." : "Its key goes on.");
    }

    @Override
    public void breakerOpened(String subscription, String lane, String reason) {
        log.warn(
                "Lane {}: the receiver does not take events ({}). They wait; one is tried every few seconds, and delivery"
                        + " goes on by itself when it arrives",
                lane,
                reason);
    }

    @Override
    public void breakerClosed(String subscription, String lane) {
        log.info("Lane {}: the receiver takes events again", lane);
    }

    @Override
    public void leaseLost(String subscription, String lane, int inFlight) {
        log.warn(
                "Lane {}: another instance owns it now; {} events without an answer are sent again there",
                lane,
                inFlight);
    }

    @Override
    public void retentionHeld(String subscription, Duration age, long events) {
        log.warn(
                "Subscription {} keeps old events in the log: it has not settled up to {} events, the oldest in a partition"
                        + " full for {} h. They stay until it has. Bring its sink back and see that a relay serves it; or"
                        + " tell it to let go, and those it has not settled become its dead letters; or delete it if"
                        + " nobody needs it",
                subscription,
                events,
                age.toHours());
    }

    @Override
    public void overtaken(String subscription, RecordedEvent event) {
        log.warn(
                "Subscription {}: event {} was delivered before an earlier event of key {}, which had failed",
                subscription,
                event.event().id(),
                event.event().key());
    }
}
