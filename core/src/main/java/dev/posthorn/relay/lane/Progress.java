package dev.posthorn.relay.lane;

import dev.posthorn.log.Mark;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.relay.store.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * How far a lane is settled: what it knows, and what the store knows of it. A settle whose answer was lost ends the run:
 * whether it was done is known by its turn.
 */
final class Progress {

    /** A mark is worth writing after this many events, or this long after the last. */
    static final int SETTLE_EVENTS = 1000;

    static final long SETTLE_NANOS = 50_000_000;

    /** An idle lane moves its mark too, or it would hold back retention, but no more often than receipts are written. */
    private static final long SECOND = 1_000_000_000;

    private final Ticker ticker;
    private final RandomGenerator random;
    private final Unwritten unwritten;
    private Mark settled;
    private Mark persisted;
    private Mark persistedHigh;
    private @Nullable UUID persistedParked;
    private Settlement.Gauge persistedGauge = Settlement.Gauge.CALM;

    /** Before the first settle, what a former owner wrote may stand there, of trouble that he had. */
    private boolean gaugeIsKnown;

    private boolean disturbed;
    private long turn;
    private long readSeq;

    /** Since the last settle that was composed. */
    private int events;

    private long bytes;
    private int delivered;

    /** Settled, and in no receipt that was composed. */
    private long sinceReceipt;

    /** As it was when the settle that is under way was composed, and of the last one that was done. */
    private long pendingSinceReceipt;

    private long writtenSinceReceipt;
    private long writtenTurn;

    private @Nullable Settlement pending;

    /** The number of the last event that is settled, in the settle that is under way, and in the last one that was done. */
    private long number;

    private long pendingNumber;
    private long writtenNumber;

    private int pendingEvents;
    private long pendingBytes;
    private int pendingDelivered;

    private long lastSettle;
    private long lastReceipt;
    private long lastGauge;

    Progress(StoredLane stored, LanePorts ports, Unwritten unwritten) {
        this.ticker = ports.ticker();
        this.random = ports.random();
        this.unwritten = unwritten;
        this.settled = stored.mark();
        this.persisted = stored.mark();
        this.persistedHigh = stored.mark();
        this.turn = stored.turn();
        this.writtenTurn = turn;
        this.readSeq = stored.readSeq();
        this.persistedParked = stored.parkedFor();
        this.disturbed = stored.takeovers() > 0;
        this.gaugeIsKnown = stored.gaugeCalm();
        this.lastSettle = ticker.nanos();
        this.lastReceipt = lastSettle - SECOND;
        this.lastGauge = lastReceipt;
    }

    /** Everything up to the event is settled. */
    void settled(LaneEvent done) {
        settled = done.markAfter();
        number = done.number();
        events++;
        bytes += done.event().bytes();
        sinceReceipt++;
        if (done.isDelivered()) {
            delivered++;
        }
    }

    /** An event that had a row has arrived. */
    void deliveredByRow() {
        delivered++;
    }

    /** There is nothing between the mark and here. */
    void settledUpTo(Mark mark) {
        settled = mark;
    }

    void read(long seq) {
        readSeq = Math.max(readSeq, seq);
    }

    Mark mark() {
        return settled;
    }

    /** Whether others see the lane stand still for the change: it must not read on before they see otherwise. */
    boolean isSeenParked(@Nullable UUID change) {
        return change != null && change.equals(persistedParked);
    }

    /** How many events and rows were settled and are not known to be written. */
    int unwritten() {
        return events + (pending == null ? 0 : pendingEvents + pending.changes().places());
    }

    long unwrittenBytes() {
        return bytes + pendingBytes;
    }

    /** Whether the store knows of everything that this owner did about rows and letters. */
    boolean areRowsTrue() {
        return pending == null && unwritten.isEmpty();
    }

    long readSeq() {
        return readSeq;
    }

    /** Whether all that is settled is written. */
    boolean isWritten() {
        return pending == null && events == 0;
    }

    /** Whether all that is settled is in a receipt. */
    boolean isReceipted() {
        return sinceReceipt == 0;
    }

    /**
     * What is written and in no receipt yet, for the run that begins where this one ended; none if the store stands
     * elsewhere, because then it is settled again.
     */
    long owedReceipt(long storedTurn) {
        return storedTurn == writtenTurn ? writtenSinceReceipt : 0;
    }

    void oweReceipt(long events) {
        sinceReceipt += events;
        writtenSinceReceipt += events;
    }

    /** How many events it has written by itself that are in no receipt. */
    long unreceipted() {
        return writtenSinceReceipt;
    }

    /**
     * How a lane stands when it asks whether to settle.
     *
     * @param high how far events were handed over
     * @param unsettled whether events are in the lane's hands
     * @param parkedFor the change of generation for which it stands still, if it does
     * @param awaited whether somebody waits for this very settle
     * @param last whether it may be the lane's last: nobody after it knows what it has settled since its last receipt
     * @param undisturbed whether forced take-overs can be forgotten
     * @param enough of how many events it is worth it before its time
     */
    record Standing(
            Mark high,
            boolean unsettled,
            @Nullable UUID parkedFor,
            boolean awaited,
            boolean last,
            boolean undisturbed,
            int enough,
            Settlement.Gauge gauge) {}

    /** The settle to ask for now, if one is due. */
    @Nullable
    Settlement due(Standing lane) {
        long now = ticker.nanos();
        if (dueInNanos(lane, now) > 0) {
            return null;
        }
        boolean gaugeDue = gaugeDueNanos(lane.gauge(), now) <= 0;
        boolean calm = isCalm(lane);
        boolean receiptDue = receiptDueNanos(lane, now) <= 0;
        long former = turn;
        turn = random.nextLong();
        pending = new Settlement(
                former,
                turn,
                settled,
                lane.high(),
                readSeq,
                lane.parkedFor(),
                calm,
                receiptDue ? sinceReceipt : 0,
                gaugeDue ? lane.gauge() : null,
                unwritten.take());
        pendingNumber = number;
        pendingEvents = events;
        pendingBytes = bytes;
        pendingDelivered = delivered;
        events = 0;
        bytes = 0;
        delivered = 0;
        lastSettle = now;
        if (receiptDue) {
            sinceReceipt = 0;
            lastReceipt = now;
        }
        pendingSinceReceipt = sinceReceipt;
        return pending;
    }

    /** In how many nanoseconds a settle is due if the lane goes on standing as it does; very long if there is nothing to settle. */
    long dueInNanos(Standing lane) {
        return dueInNanos(lane, ticker.nanos());
    }

    private long dueInNanos(Standing lane, long now) {
        return isCalm(lane) ? 0 : Math.min(gaugeDueNanos(lane.gauge(), now), standingDueNanos(lane, now));
    }

    private boolean isCalm(Standing lane) {
        return lane.undisturbed() && disturbed;
    }

    /** Whether forced take-overs are still to be forgotten. */
    boolean isDisturbed() {
        return disturbed;
    }

    private long standingDueNanos(Standing lane, long now) {
        boolean handedOver = lane.unsettled() && !lane.high().equals(persistedHigh);
        if (events > 0 || handedOver || !unwritten.isEmpty()) {
            boolean atOnce = lane.awaited() || events + unwritten.size() >= Math.min(SETTLE_EVENTS, lane.enough());
            return atOnce ? 0 : lastSettle + SETTLE_NANOS - now;
        }
        boolean moved = !settled.equals(persisted);
        if (!Objects.equals(lane.parkedFor(), persistedParked) || (lane.awaited() && moved)) {
            return 0;
        }
        long receipt = receiptDueNanos(lane, now);
        return moved ? Math.min(receipt, lastSettle + SECOND - now) : receipt;
    }

    private long receiptDueNanos(Standing lane, long now) {
        if (sinceReceipt == 0) {
            return Long.MAX_VALUE;
        }
        return lane.last() ? 0 : lastReceipt + SECOND - now;
    }

    /** What begins or ends is told at once, the rest once a second. */
    private long gaugeDueNanos(Settlement.Gauge gauge, long now) {
        if (!gaugeIsKnown) {
            return 0;
        }
        if (gauge.equals(persistedGauge)) {
            return Long.MAX_VALUE;
        }
        return gauge.hasTurnedSince(persistedGauge) ? 0 : lastGauge + SECOND - now;
    }

    /** The settle was done. Returns how many places in the room are free with it. */
    int written(Settlement done) {
        int places = pendingEvents + done.changes().places();
        persisted = done.mark();
        writtenNumber = pendingNumber;
        writtenSinceReceipt = pendingSinceReceipt;
        writtenTurn = done.turn();
        persistedHigh = done.high();
        persistedParked = done.parkedFor();
        if (done.gauge() != null) {
            persistedGauge = done.gauge();
            gaugeIsKnown = true;
            lastGauge = ticker.nanos();
        }
        if (done.undisturbed()) {
            disturbed = false;
        }
        pending = null;
        pendingEvents = 0;
        pendingBytes = 0;
        return places;
    }

    // ---- carried by the front

    /** Whether all that is settled is written, and others see nothing but that all is well. */
    boolean isCalm() {
        return isWritten() && isSeenCalm();
    }

    /** Whether others see nothing but that all is well, and nothing is being written. */
    boolean isSeenCalm() {
        return pending == null && gaugeIsKnown && persistedGauge.equals(Settlement.Gauge.CALM);
    }

    long turn() {
        return turn;
    }

    /** The front has had its forced take-overs forgotten. */
    void calmed() {
        disturbed = false;
    }

    /** How the lane stands that is carried, and has nothing to write by itself. */
    StoredLane asStored(long rowSeq) {
        return new StoredLane(persisted, readSeq, rowSeq, turn, null, 0, null, true, Duration.ZERO, null, true);
    }

    /** The front has written a position that these are behind. */
    void carried(Mark at, List<LaneEvent> written) {
        persisted = at;
        persistedHigh = at;
        persistedParked = null;
        for (LaneEvent each : written) {
            events--;
            bytes -= each.event().bytes();
            delivered -= each.isDelivered() ? 1 : 0;
            writtenNumber = each.number();
        }
        writtenSinceReceipt = sinceReceipt - events;
    }

    /** So many of the events that it has carried are in a receipt of the front. */
    void receipted(int count) {
        sinceReceipt -= count;
        writtenSinceReceipt -= count;
    }

    /** The front has written its row: from now on the front settles for it, or it does so by itself. */
    void anchored(long withTurn) {
        turn = withTurn;
        writtenTurn = withTurn;
        lastSettle = ticker.nanos();
    }

    /** The settle that was asked for and has no answer yet. */
    @Nullable
    Settlement pending() {
        return pending;
    }

    /** Up to which number events are behind the persisted mark. */
    long writtenNumber() {
        return writtenNumber;
    }

    /** How many events the settle just written has delivered. */
    int takeDelivered() {
        int count = pendingDelivered;
        pendingDelivered = 0;
        return count;
    }
}
