package dev.posthorn.subscription;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what an operator may have to act on. */
public final class LoggingListener implements RelayListener {

    private static final Logger log = LoggerFactory.getLogger(LoggingListener.class);

    /** So many dead letters of a subscription are told one by one in a minute: a flood would hide everything else. */
    private static final int TOLD_PER_MINUTE = 20;

    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final Map<String, Minute> minutes = new ConcurrentHashMap<>();

    private record Minute(long began, int count) {

        Minute next(long now) {
            return now - began >= MINUTE ? new Minute(now, 1) : new Minute(began, count + 1);
        }
    }

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
        long now = System.nanoTime();
        int count = minutes.merge(subscription, new Minute(now, 1), (last, first) -> last.next(now))
                .count();
        if (count == TOLD_PER_MINUTE) {
            log.warn(
                    "Subscription {}: more dead letters; the others of this minute are not told one by one. DeadLetters"
                            + " shows them, and their causes in groups",
                    subscription);
        }
        if (count >= TOLD_PER_MINUTE) {
            return;
        }
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
                "Lane {}: the receiver is not reached or does not answer ({}). One event is tried every few seconds, the"
                        + " others wait, and delivery goes on by itself when it answers",
                lane,
                reason);
    }

    @Override
    public void breakerClosed(String subscription, String lane) {
        log.info("Lane {}: the receiver answers again", lane);
    }

    @Override
    public void denialBegan(String subscription, String lane, String reason) {
        log.warn(
                "Lane {}: the receiver answers, but refuses everything ({}). Meanwhile attempts count for one event at a"
                        + " time only; new events are tried once each, and delivery goes on by itself when the first of"
                        + " them arrives",
                lane,
                reason);
    }

    @Override
    public void denialEnded(String subscription, String lane) {
        log.info("Lane {}: the receiver takes events again", lane);
    }

    @Override
    public void paused(String subscription, String reason) {
        log.warn(
                "Subscription {} is PAUSED, because its receiver wants no more events: {}. They wait; resume it when the"
                        + " receiver is back, or delete it",
                subscription,
                reason);
    }

    @Override
    public void leaseLost(String subscription, String lane, int inFlight) {
        log.warn(
                "Lane {}: its lease is lost; {} events without an answer are sent again by whoever owns it now",
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
