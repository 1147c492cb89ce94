package dev.posthorn.relay.lane;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import dev.posthorn.log.Window;
import dev.posthorn.relay.budget.InFlightPlaces;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.budget.Pace;
import dev.posthorn.relay.budget.RetryPlaces;
import dev.posthorn.relay.front.Handed;
import dev.posthorn.relay.front.Ride;
import dev.posthorn.relay.lane.trouble.Breaker;
import dev.posthorn.relay.lane.trouble.ReceiverState;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.subscription.Subscription;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Reads a lane's share of the log, as far ahead of its persisted mark as there is room for. */
final class LaneReader {

    private final Subscription subscription;
    private final EventLog eventLog;
    private final LaneScope scope;
    private final LaneStore store;
    private final Supplier<LaneOrders> orders;
    private final InFlightPlaces places;
    private final Backlog backlog;
    private final Dispatch dispatch;
    private final RowsInHand rows;
    private final Unwritten unwritten;
    private final ReceiverState receiver;
    private final Progress progress;
    private final CarefulMode care;
    private final Ticker ticker;
    private final Pace pace;
    private final Aboard aboard;
    private Cursor cursor;

    /** Whether what it read last was read for others too. */
    private boolean wasShared;

    /** Whether the window that is read, or the last one, was begun by this run. */
    private boolean ownWindow;

    /** Whether this run has read whatever was read before it, by former owners too. */
    private boolean caughtUp;

    /** What was to be let go when the window that is read was begun. */
    private long toLetGo;

    /** This run has read all that was to be let go below this. */
    private long letGo;

    /** The number of the read by which the end of the window was taken that is read, or was read last. */
    private long lastRead;

    LaneReader(StoredLane stored, LanePorts ports, LaneParts parts, Aboard aboard) {
        this.subscription = aboard.subscription();
        this.eventLog = ports.log();
        this.scope = aboard.grant().scope();
        this.store = ports.store();
        this.orders = parts.hold().orders();
        this.places = parts.hold().places();
        this.backlog = parts.backlog();
        this.dispatch = parts.dispatch();
        this.rows = parts.rows();
        this.unwritten = parts.unwritten();
        this.receiver = parts.hold().receiver();
        this.progress = parts.progress();
        this.care = parts.care();
        this.ticker = ports.ticker();
        this.pace = new Pace(subscription.pollLeast(), subscription.pollMost(), ticker.nanos());
        this.cursor = stored.mark().cursor();
        this.aboard = aboard;
        Long reads = stored.reads();
        this.lastRead = reads == null ? aboard.ride().reads() : reads;
    }

    /** There is something to read. */
    void wake() {
        pace.moreAtOnce(ticker.nanos());
    }

    /** The database does not answer. */
    void failed() {
        pace.failed(ticker.nanos());
    }

    /**
     * Reads if it is time and there is room. Tells whether it did.
     *
     * @param well whether it may ride on the front
     */
    boolean read(boolean well) {
        long now = ticker.nanos();
        if (!aboard.isApart() || !isReading() || !pace.isDue(now) || !isWorthReading()) {
            return false;
        }
        boolean hasRead = readOnce(well, now);
        boolean more = hasRead;
        while (more && isMoreAtHand(well)) {
            more = readOnce(well, ticker.nanos());
        }
        return hasRead;
    }

    /**
     * Whether what comes next may have been read for others too. That costs nearly nothing, and a lane that comes back for
     * each piece waits for all others every time.
     */
    private boolean isMoreAtHand(boolean well) {
        return wasShared
                && aboard.isApart()
                && (well || cursor instanceof Cursor.Inside)
                && isWorthReading()
                && dispatch.unsettled().size() < subscription.batchSize()
                && aboard.ride().keepsMore(cursor);
    }

    private boolean readOnce(boolean well, long now) {
        int taken = enterNextWindow(well) ? takePlaces() : 0;
        if (taken == 0) {
            pace.foundNothing(now);
            return false;
        }
        Batch batch = read(taken);
        long after = ticker.nanos();
        if (well
                && caughtUp
                && cursor instanceof Cursor.Tail tail
                && aboard.board(tail.a(), lastRead, dispatch.unsettled().size(), after)) {
            return true;
        }
        if (!batch.endsWindow()) {
            pace.moreAtOnce(after);
        } else if (batch.events().isEmpty()) {
            pace.foundNothing(after);
        } else {
            pace.foundAll(after);
        }
        return true;
    }

    private boolean isReading() {
        return isLettingGo()
                || isComingBack()
                || (orders.get().isSending() && (!receiver.breaker().isOpen() || lacksProbe()));
    }

    private boolean lacksProbe() {
        return probesWanted() > 0;
    }

    private int probesWanted() {
        Breaker breaker = receiver.breaker();
        int width = Math.min(breaker.width(), RetryPlaces.atATime(orders.get().concurrency()));
        // One more, which may count.
        return breaker.lacksProbe() ? 1 + width - backlog.toSend().untried() : 0;
    }

    /** Whether events are to be given up that this owner has not read yet. */
    private boolean isLettingGo() {
        LaneOrders now = orders.get();
        return !now.leave() && letGo < now.letGoSeq();
    }

    /**
     * All that was to be let go had ended before the order was given, so a window that was begun after it has whatever of
     * it was not read before. A number alone says nothing: events are read late, and by former owners in vain.
     */
    private void noteLetGo() {
        if (!(cursor instanceof Cursor.Inside inside) || inside.seq() >= toLetGo - 1) {
            letGo = Math.max(letGo, toLetGo);
        }
    }

    /** Whether it is to leave, and has yet to come to what was sent before the connection was lost. */
    private boolean isComingBack() {
        return orders.get().leave() && dispatch.awaitsReading();
    }

    /** Who is on the way out does not wait for room: what it reads and does not send gets a row at once. */
    private int takePlaces() {
        if (isComingBack()) {
            places.overdraw(subscription.batchSize());
            return subscription.batchSize();
        }
        int most = lacksProbe() ? probesWanted() : subscription.batchSize();
        return places.take(Math.min(roomForEvents(), Math.min(most, subscription.batchSize())));
    }

    /** Whether there is room for more than a few events: a read costs the same for one as for many. */
    private boolean isWorthReading() {
        if (isComingBack()) {
            return true;
        }
        int least = receiver.needsRoom() ? 1 : Math.min(subscription.batchSize(), aQuarter());
        return roomForEvents() >= least && roomInBytes() > 0;
    }

    private int aQuarter() {
        return Math.max(1, orders.get().inFlightLimit() / 4);
    }

    /** Whether there will soon be no room for events that were not tried yet. */
    boolean isShortOfRoom() {
        return roomForEvents() < aQuarter()
                || roomInBytes() < orders.get().inFlightBytes() / 4
                || !places.areLeft(aQuarter());
    }

    private int roomForEvents() {
        return orders.get().inFlightLimit() - beyondMark();
    }

    private long roomInBytes() {
        return orders.get().inFlightBytes() - dispatch.unsettled().bytes() - progress.unwrittenBytes();
    }

    private Batch read(int taken) {
        int used = 0;
        try {
            boolean atTail = cursor instanceof Cursor.Tail;
            if (atTail) {
                beginWindow();
            }
            Batch batch = readOwn(taken, Math.max(1, roomInBytes()));
            if (atTail) {
                lastRead = aboard.ride().countRead();
            }
            used = take(batch);
            noteLetGo();
            if (ownWindow && batch.endsWindow() && !caughtUp) {
                hasReadAll();
            }
            return batch;
        } finally {
            places.giveBack(taken - used);
        }
    }

    /** This run has read whatever was read before it. */
    void hasReadAll() {
        caughtUp = true;
        rows.caughtUp();
        dispatch.caughtUp();
        care.caughtUp(dispatch.unsettled().size());
    }

    private void beginWindow() {
        ownWindow = true;
        toLetGo = orders.get().letGoSeq();
    }

    /** Its end was taken before now, so it may lack of what was to be let go since: a window of its own has all that. */
    private void enterWindowOfFront() {
        ownWindow = true;
        toLetGo = 0;
    }

    /** What there is for the lane, out of what was read for others too if there is such. */
    private Batch readOwn(int most, long bytes) {
        Batch shared = aboard.ride().shared(cursor, scope);
        if (shared != null && fits(shared, most, bytes)) {
            wasShared = true;
            return shared;
        }
        wasShared = false;
        return eventLog.read(cursor, most, bytes);
    }

    private static boolean fits(Batch batch, int most, long bytes) {
        return batch.events().size() <= most
                && batch.events().stream().mapToLong(RecordedEvent::bytes).sum() <= bytes;
    }

    /** Takes what the front has read for it, as far as there is room. Returns how many. */
    int takeRidden(List<Handed> events) {
        int taken = places.take(Math.max(0, Math.min(roomForEvents(), fitting(events))));
        for (Handed next : events.subList(0, taken)) {
            RecordedEvent event = next.event();
            progress.read(event.seq());
            extendMark(next.before());
            dispatch.add(LaneEvent.live(event, next.after(), next.isDeferred()));
        }
        return taken;
    }

    /** How many a read of its own would have found: the last one may begin where there is any room. */
    private int fitting(List<Handed> events) {
        long room = roomInBytes();
        int count = 0;
        while (room > 0 && count < events.size()) {
            room -= events.get(count++).event().bytes();
        }
        return count;
    }

    /** Reads on by itself, from where the front has read for it. */
    void readOn(Ride.Position position) {
        cursor = position.cursor();
        lastRead = position.read();
        enterWindowOfFront();
        extendMark(
                cursor instanceof Cursor.Inside inside
                        ? Mark.inside(inside.window(), inside.seq())
                        : Mark.at(((Cursor.Tail) cursor).a()));
        pace.moreAtOnce(ticker.nanos());
    }

    /** How many events and rows are in the lane's hands or not known to be written. */
    int beyondMark() {
        return dispatch.unsettled().size() + rows.count() + progress.unwritten() + unwritten.rows();
    }

    /**
     * At the tail, while the generation is to change: no further than the snapshot at which all lanes stop. The one in
     * the orders is looked up on the lane's own connection: after a crash it may be of transactions that never were. A
     * lane that reads on for what comes back looks too: while it was seen to stand still, all may have been told to stop.
     */
    private boolean enterNextWindow(boolean well) {
        LaneOrders now = orders.get();
        if (!(cursor instanceof Cursor.Tail tail)) {
            return true;
        }
        if (!now.park()) {
            return !well || approachFront(tail);
        }
        Snapshot ordered = now.stopAt();
        // Others are waited for, by orders that a lane on its way out gets no more.
        boolean comesBack = ordered == null ? dispatch.awaitsReading() : isComingBack();
        boolean readsOn = comesBack && !progress.isSeenParked(now.parkFor());
        if (ordered == null && !readsOn) {
            return false;
        }
        Snapshot stopAt = store.stopAt();
        if (stopAt == null) {
            return readsOn;
        }
        if (tail.a().equals(stopAt)) {
            if (now.leave()) {
                // It never reads further: what has not come again will not come to this owner.
                dispatch.caughtUp();
            }
            return false;
        }
        if (!readsOn && !stopAt.equals(ordered)) {
            return false;
        }
        cursor = Cursor.Inside.of(new Window(tail.a(), stopAt), 0);
        // If the change is withdrawn, it gets on only where the front has read since: an older snapshot would lead it
        // back.
        lastRead = aboard.ride().reads();
        return true;
    }

    /** Reads no further than the front has, to get on there; not yet, if the front will soon have read further. */
    private boolean approachFront(Cursor.Tail tail) {
        Ride.Tail end = aboard.ride().reachable(aboard, tail.a(), lastRead);
        if (end == null) {
            return !aboard.ride().isNear(aboard);
        }
        enterWindowOfFront();
        cursor = Cursor.Inside.of(new Window(tail.a(), end.snapshot()), 0);
        lastRead = end.read();
        return true;
    }

    /** Returns how many of the events are new: the others have a row or a dead letter by a former owner. */
    private int take(Batch batch) {
        Set<Long> known = rows.known(batch.events());
        rows.know(batch.events().stream().map(event -> event.event().key()));
        Mark between = null;
        int used = 0;
        for (RecordedEvent event : batch.events()) {
            progress.read(event.seq());
            // There is nothing of the lane between the event before and this one.
            extendMark(Mark.inside(batch.window(), event.seq() - 1));
            between = batch.markAfter(event);
            if (!known.contains(event.seq())) {
                dispatch.add(LaneEvent.live(event, between, batch.isDeferred(event)));
                used++;
            } else {
                extendMark(between);
            }
        }
        extendMark(batch.markAtEnd());
        cursor = batch.next();
        return used;
    }

    private void extendMark(Mark mark) {
        if (!dispatch.unsettled().extendLast(mark)) {
            progress.settledUpTo(mark);
        }
    }

    boolean hasCaughtUp() {
        return caughtUp;
    }

    /** Whether everything there was has been read, what former owners had read included. */
    boolean hasSeenAll() {
        return caughtUp && isAtTail();
    }

    boolean isAtTail() {
        return cursor instanceof Cursor.Tail;
    }

    /** In how many nanoseconds to look again; very long if there is no room, or nothing is to be read. */
    long nextDueNanos() {
        return aboard.isApart() && isReading() && isWorthReading() ? pace.due() - ticker.nanos() : Long.MAX_VALUE;
    }
}
