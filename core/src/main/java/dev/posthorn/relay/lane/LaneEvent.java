package dev.posthorn.relay.lane;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Mark;
import dev.posthorn.relay.lane.trouble.FailedDelivery;
import dev.posthorn.relay.lane.trouble.Purpose;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.Replayed;
import dev.posthorn.relay.store.RowChange;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An event in the hands of a lane: read from the log and not yet settled (<em>live</em>), or loaded by its delivery row.
 * Belongs to the lane's thread.
 */
final class LaneEvent {

    private final RecordedEvent event;
    private final @Nullable DeliveryRow row;
    private final boolean deferred;
    private @Nullable Mark markAfter;
    private @Nullable Sending sending;
    private long number;
    private long sentAt;
    private long arrivedAt;
    private Purpose purpose = Purpose.DELIVERY;
    private boolean tried;
    private boolean counted;
    private int attemptsBefore;
    private boolean freshBefore;
    private boolean stranded;
    private boolean delivered;
    private boolean setAside;
    private boolean overtook;

    private LaneEvent(RecordedEvent event, @Nullable DeliveryRow row, boolean deferred, @Nullable Mark markAfter) {
        this.event = event;
        this.row = row;
        this.deferred = deferred;
        this.markAfter = markAfter;
    }

    /**
     * @param markAfter the mark once this event and all before it are settled
     * @param deferred its time had not come when it was read
     */
    static LaneEvent live(RecordedEvent event, Mark markAfter, boolean deferred) {
        return new LaneEvent(event, null, deferred, markAfter);
    }

    static LaneEvent of(DeliveryRow row) {
        return new LaneEvent(row.event(), row, false, null);
    }

    /** The same event, by a row in which its next attempt, of this number, is counted before it is made. */
    LaneEvent counted(int attempt) {
        boolean holdsKey = row != null && row.holdsKey();
        DeliveryRow recorded = new DeliveryRow(event, DeliveryState.WAITING, attempt, true, replay(), holdsKey, true);
        LaneEvent again = new LaneEvent(event, recorded, false, null);
        again.counted = true;
        again.attemptsBefore = attempts();
        again.freshBefore = isFresh();
        return again;
    }

    /** Its row as it waits for its next attempt. */
    RowChange waiting(int attempts, Duration delay, Outcome.Failure failure) {
        return row(DeliveryState.WAITING, attempts, delay, failure, false);
    }

    /** Its row with an attempt that is counted before it is made. */
    RowChange unanswered(int attempts, Duration delay, Outcome.Failure assumed) {
        return row(DeliveryState.WAITING, attempts, delay, assumed, true);
    }

    /** Its row behind an earlier event of its key. */
    RowChange held() {
        return row(DeliveryState.HELD, attempts(), null, null, false);
    }

    private RowChange row(
            DeliveryState state,
            int attempts,
            @Nullable Duration delay,
            Outcome.@Nullable Failure failure,
            boolean unanswered) {
        Replayed replay = state == DeliveryState.HELD ? null : replay();
        return new RowChange(
                seq(), event.event().id(), key(), state, attempts, delay, null, failure, unanswered, replay);
    }

    RecordedEvent event() {
        return event;
    }

    long seq() {
        return event.seq();
    }

    @Nullable
    String key() {
        return event.event().key();
    }

    boolean isLive() {
        return row == null;
    }

    /** Why it has a row; null if it is live. */
    @Nullable
    DeliveryState state() {
        return row == null ? null : row.state();
    }

    boolean isDeferred() {
        return deferred;
    }

    boolean isReplay() {
        return replay() != null;
    }

    /** What makes it one that is sent again; null if it is not. */
    @Nullable
    Replayed replay() {
        return row == null ? null : row.replay();
    }

    /** Whether it is a dead letter that holds its key. */
    boolean holdsKey() {
        return row != null && row.holdsKey();
    }

    /** Whether its own delays say that an attempt is due; a probe may come before. */
    boolean isDue() {
        return row == null || row.due();
    }

    /** How many attempts were counted so far. */
    int attempts() {
        return row == null ? 0 : row.attempts();
    }

    /** The number of the attempt that is made, or made next. */
    int attempt() {
        return counted ? attempts() : attempts() + 1;
    }

    /** How many attempts are counted if the one that was made does not. */
    int attemptsWithoutLast() {
        return counted ? attemptsBefore : attempts();
    }

    /** The number of the attempt that was made, once it is answered: what was only assumed before counts no more. */
    int answeredAttempt() {
        return attemptsWithoutLast() + 1;
    }

    /** Whether a process may have ended over its last attempt, so that the next one has to be counted before it is made. */
    boolean isSuspect() {
        return row != null && row.unanswered() && !counted;
    }

    boolean isCounted() {
        return counted;
    }

    /** An attempt that is counted before it is made has its token from then on. */
    boolean needsToken() {
        return !counted;
    }

    /** The attempt that was counted was not made, or says nothing about the event. */
    void takeBackCount() {
        counted = false;
    }

    /** How many events of its lane were read before it, itself included; of a live event. */
    long number() {
        return number;
    }

    void number(long place) {
        number = place;
    }

    /** Of a live event. */
    Mark markAfter() {
        return Objects.requireNonNull(markAfter);
    }

    /** With this event settled, so is all that follows up to the given mark. */
    void extendMark(Mark further) {
        markAfter = further;
    }

    Sending send(long now, Purpose why, Consumer<Sending> mailbox) {
        sending = new Sending(this, mailbox);
        sentAt = now;
        purpose = why;
        return sending;
    }

    /** Its connection was lost: whoever reads it again may know it again, but itself is in nobody's hands. */
    void strand() {
        stranded = true;
    }

    boolean isStranded() {
        return stranded;
    }

    /** Goes on where the same event was, when its lane lost its connection. */
    void resume(LaneEvent former) {
        sentAt = former.sentAt;
        purpose = former.purpose;
        counted = former.counted && row != null && row.unanswered();
        attemptsBefore = former.attemptsBefore;
        freshBefore = former.freshBefore;
        delivered = former.delivered;
        sending = former.sending;
        former.sending = null;
        if (sending != null) {
            sending.moveTo(this);
        }
    }

    /** Whether it is neither on its way nor done. */
    boolean isToBeSent() {
        return sending == null && !isDone();
    }

    /** Whether this is the sending whose answer counts. */
    boolean isOn(Sending answered) {
        return sending == answered;
    }

    /** Answered, or given up: an answer that still comes is not heard. */
    void land() {
        sending = null;
    }

    boolean isInFlight() {
        return sending != null;
    }

    long sentAt() {
        return sentAt;
    }

    /** Why it was sent last. */
    Purpose purpose() {
        return purpose;
    }

    boolean isProbe() {
        return purpose != Purpose.DELIVERY;
    }

    /** It failed, and that did not count: others of its kind come before it. */
    void tried() {
        tried = true;
    }

    boolean isTried() {
        return tried;
    }

    /** Whether this is the first that the receiver hears of it, so that its failure tells something new. */
    boolean isFresh() {
        if (counted) {
            return freshBefore;
        }
        boolean first = row == null || (row.state() == DeliveryState.DEFERRED && row.attempts() == 0);
        return first && !tried && !isReplay();
    }

    /** What stands for it among keys, if this is the first that the receiver hears of it; else null. */
    @Nullable
    Object freshKey() {
        Object own = key() == null ? event.event().id() : key();
        return isFresh() ? own : null;
    }

    /** Its last attempt, which failed. */
    FailedDelivery failed(Outcome.Failure failure) {
        return new FailedDelivery(failure, answeredAttempt(), purpose, origin(), isDue(), key() != null);
    }

    private FailedDelivery.Origin origin() {
        if (isReplay()) {
            return FailedDelivery.Origin.REPLAY;
        }
        return isLive() ? FailedDelivery.Origin.LOG : FailedDelivery.Origin.ROW;
    }

    /** Whether it is sent again because it failed. */
    boolean isRetry() {
        return row != null && row.state() == DeliveryState.WAITING && !counted;
    }

    /** Delivered before an earlier event of its key. True the first time. */
    boolean noteOvertaking() {
        boolean first = !overtook;
        overtook = true;
        return first;
    }

    /** @param read how many events of its lane were read by then */
    void deliver(long read) {
        delivered = true;
        arrivedAt = read;
    }

    /** How many events of its lane were read when it arrived: once all of them are settled, so is it. */
    long arrivedAt() {
        return arrivedAt;
    }

    boolean isDelivered() {
        return delivered;
    }

    /** It has, or is about to have, a row or a dead letter, and is out of the lane's hands. */
    void setAside() {
        setAside = true;
        sending = null;
    }

    boolean isSetAside() {
        return setAside;
    }

    /** Whether the mark may pass it. */
    boolean isDone() {
        return delivered || setAside;
    }
}
