package dev.posthorn.relay.front;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.Filter;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.budget.Pace;
import dev.posthorn.relay.front.Ride.Position;
import dev.posthorn.relay.store.FrontStore;
import dev.posthorn.relay.store.FrontStore.Move;
import dev.posthorn.relay.store.FrontStore.Moved;
import dev.posthorn.relay.store.FrontStore.Receipt;
import dev.posthorn.relay.store.FrontStore.Touched;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.SessionTrust;
import dev.posthorn.relay.store.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One front, from the first lane that gets on to the end of its connection or session: what it has read, who is aboard and
 * who of them is carried. Whatever it writes it writes by one statement, which moves the front, puts lanes off it and
 * takes lanes on, all at one position: the furthest at which all that was handed out is settled.
 */
final class Journey {

    static final long SETTLE_NANOS = 50_000_000;
    static final long SECOND = 1_000_000_000;

    /** Whatever looks at all who are busy is not done more often: they may be all there are. */
    static final long SEARCH_NANOS = 200_000_000;

    /**
     * At a time. When thousands are slow at once it is this process that is, and what they cost by themselves would make it
     * slower yet.
     */
    private static final int MOST_SENT_OFF = 64;

    private final UUID id;
    private final SessionTrust session;
    private final long floorSeq;
    private final FrontStore store;
    private final Function<LaneScope, EventLog> logs;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final Riders riders = new Riders();
    private final FrontPorts.Portions portions;
    private final SharedReads sharedReads;

    // ---- read

    private final Trail trail;
    private final Offers offers;
    private Cursor cursor;
    private long read;
    private long readSeq;
    private Pace pace;
    private @Nullable EventLog log;
    private @Nullable Filter logged;

    // ---- written

    private Mark written;
    private long writtenNumber;
    private long turn;
    private long lastWrite;
    private long lastBoarding;
    private long lastReceipts;
    private long lastCalming;
    private long lastLook;
    private boolean hurried;
    private @Nullable Asked asked;

    /** A move that has no answer yet. */
    private record Asked(Move move, long number, Map<Rider, Integer> receipts) {
        MoveInDoubt by(Rider rider) {
            return new MoveInDoubt(move.turn(), move.at(), number, receipts.getOrDefault(rider, 0));
        }
    }

    /** Of whom something that was handed to them is not behind a written position, or in no receipt. */
    private final Set<Rider> busy = new LinkedHashSet<>();

    /** They stand at the end of the window that is being read, and are handed nothing before it. */
    private final Set<Rider> ahead = new LinkedHashSet<>();

    /** Aboard, and their rows are their own yet. */
    private final Set<Rider> boarding = new LinkedHashSet<>();

    /**
     * Not aboard any more, and their rows are not their own yet. Until they are, the first event that was read for one and
     * that it was not given is held for it.
     */
    private final Map<Rider, Optional<Handed>> leaving = new LinkedHashMap<>();

    private final Set<Rider> carried = new LinkedHashSet<>();

    /** Carried, and their rows count forced take-overs. */
    private final Set<Rider> disturbed = new LinkedHashSet<>();

    /** @param first stands at the tail, and its row says so or less */
    Journey(Rider first, Snapshot tail, long read, FrontPorts ports) {
        this.store = ports.store();
        this.logs = ports.logs();
        this.ticker = ports.ticker();
        this.random = ports.random();
        this.portions = ports.portions();
        this.sharedReads = new SharedReads(portions);
        this.id = new UUID(random.nextLong(), random.nextLong());
        this.session = first.grant().lease().session();
        this.floorSeq = first.grant().scope().floorSeq();
        this.written = Mark.at(tail);
        this.trail = new Trail(written);
        this.offers = new Offers(trail, portions);
        this.cursor = new Cursor.Tail(tail);
        this.read = read;
        this.turn = random.nextLong();
        long now = ticker.nanos();
        this.lastWrite = now;
        this.lastBoarding = now;
        this.lastReceipts = now;
        this.lastCalming = now;
        this.lastLook = now;
        this.pace =
                new Pace(first.subscription().pollLeast(), first.subscription().pollMost(), now);
        store.begin(id, session.id(), written, readSeq, turn);
    }

    UUID id() {
        return id;
    }

    boolean isOf(Rider rider) {
        return rider.grant().lease().session() == session && !session.isEnded();
    }

    // ---- getting on and off

    /**
     * How far whoever stands there is to read on: to the end of what was read, or of the window that is being read. Null if that was
     * not taken later than his own.
     */
    Ride.@Nullable Tail reachable(Snapshot from, long since) {
        return read > since ? sharedReads.end(from, since, new Ride.Tail(endOfReads(), read), ticker.nanos()) : null;
    }

    private Snapshot endOfReads() {
        return cursor instanceof Cursor.Inside inside ? inside.window().b() : ((Cursor.Tail) cursor).a();
    }

    /** Whether a later snapshot will be there soon. */
    boolean isNear() {
        return !riders.isEmpty() || !ahead.isEmpty();
    }

    @Nullable
    Batch shared(Cursor from, LaneScope reader) {
        return from instanceof Cursor.Inside inside && !inside.window().isFirst()
                ? sharedReads.from(inside, reader, () -> logs.apply(scope(Filter.ALL)), ticker.nanos())
                : null;
    }

    boolean keepsMore(Cursor from) {
        return !(from instanceof Cursor.Inside inside) || sharedReads.keepsMore(inside);
    }

    /** With nobody aboard it goes where the next one stands who gets on, if that is further. */
    void goTo(Snapshot tail, long readThen) {
        if (riders.isEmpty() && leaving.isEmpty() && ahead.isEmpty() && readThen > read) {
            read = readThen;
            standAt(tail);
        }
    }

    private void standAt(Snapshot tail) {
        cursor = new Cursor.Tail(tail);
        trail.readTo(Mark.at(tail));
    }

    /** False if it does not stand there, and will not come by. */
    boolean board(Rider rider, Snapshot tail, long readThen) {
        if (cursor.equals(new Cursor.Tail(tail))) {
            join(rider);
            return true;
        }
        boolean comesBy = cursor instanceof Cursor.Inside inside
                && read == readThen
                && inside.window().b().equals(tail);
        return comesBy && ahead.add(rider);
    }

    private void join(Rider rider) {
        riders.add(rider);
        boarding.add(rider);
        rider.joined(trail.number());
        setPace();
    }

    /** The window is read to its end: from here on whoever waited there is handed what comes. */
    private void arrive() {
        ahead.forEach(this::join);
        ahead.clear();
    }

    /** Whether those who wait at the end of the window are all there are, so that nobody wants what is left of it. */
    private boolean isOnlyAwaited() {
        return !ahead.isEmpty() && riders.isEmpty() && leaving.isEmpty();
    }

    Position getOff(Rider rider) {
        if (ahead.remove(rider)) {
            return new Position(new Cursor.Tail(endOfReads()), read);
        }
        disturbed.remove(rider);
        Optional<Handed> next = offers.withdraw(rider);
        if (riders.remove(rider)) {
            if (boarding.remove(rider)) {
                // What it was handed it settles by itself: nothing would ever take it out.
                busy.remove(rider);
                next.ifPresent(Handed::release);
            } else {
                leaving.put(rider, next);
            }
        }
        if (!riders.isEmpty()) {
            setPace();
        }
        return next.map(Handed::position).orElseGet(() -> new Position(cursor, read));
    }

    /** Its lane may be another's by now, so its row has to be looked at before the front may pass what it holds. */
    void leaveBehind(Rider rider) {
        getOff(rider);
        busy.remove(rider);
    }

    void hurry() {
        hurried = true;
    }

    /** Whoever is aboard, or on the way off, has to begin anew. */
    void end() {
        List<Rider> all = new ArrayList<>(riders.all().toList());
        all.addAll(leaving.keySet());
        all.addAll(ahead);
        Asked lost = asked;
        all.forEach(rider -> rider.ended(turn, lost == null ? null : lost.by(rider)));
    }

    // ---- writing

    /** False if the front has ended. */
    boolean write() {
        long now = ticker.nanos();
        if (session.isEnded()) {
            return true;
        }
        sendOffWhoHolds(now);
        boolean goesOn = !isWriteDue(now) || write(now);
        hurried = false;
        return goesOn;
    }

    /** Whoever has held the front for a second, or while somebody needs the places, is to settle by itself: a few at a time. */
    private void sendOffWhoHolds(long now) {
        Handed first = trail.firstHeld();
        if (first == null) {
            return;
        }
        boolean tooLong = now - first.since() >= SECOND;
        boolean inTheWay = hurried && trail.settledNumber() == writtenNumber && leaving.isEmpty();
        if ((tooLong || inTheWay) && now - lastLook >= (tooLong ? SEARCH_NANOS : 0)) {
            lastLook = now;
            slowOnes(first, now).forEach(Rider::sendOff);
        }
    }

    /**
     * Who holds the front; and while others wait for their turn whoever has held anything for a second, because what holds the
     * front may then be in nobody's hands.
     */
    private List<Rider> slowOnes(Handed first, long now) {
        List<Rider> some = new ArrayList<>();
        boolean othersWait = offers.haveToWait();
        for (Rider rider : busy) {
            if (some.size() == MOST_SENT_OFF) {
                break;
            }
            Handed held = rider.firstHeld();
            boolean inTheWay = held == first || (othersWait && held != null && now - held.since() >= SECOND);
            if (inTheWay && rider.isSlow()) {
                some.add(rider);
            }
        }
        return some;
    }

    private boolean isWriteDue(long now) {
        long since = now - lastWrite;
        boolean settled = trail.settledNumber() != writtenNumber;
        return !leaving.isEmpty()
                || (settled && (hurried || since >= SETTLE_NANOS))
                || (!boarding.isEmpty() && now - lastBoarding >= SETTLE_NANOS)
                || (since >= SECOND && !trail.settled().equals(written))
                || (!busy.isEmpty() && now - lastReceipts >= SECOND)
                || (!disturbed.isEmpty() && now - lastCalming >= SECOND);
    }

    private boolean write(long now) {
        long number = trail.settledNumber();
        List<Rider> off = some(leaving.keySet());
        List<Rider> on = some(
                boarding.stream().filter(rider -> rider.isBoardable(number)).toList());
        List<Rider> calm = toBeCalmed(now);
        Map<Rider, Integer> receipts = takeReceipts(now);
        Mark at = trail.settled();
        lastBoarding = now;
        if (off.isEmpty() && on.isEmpty() && calm.isEmpty() && receipts.isEmpty() && at.equals(written)) {
            return true;
        }
        long next = random.nextLong();
        Move move = new Move(id, turn, next, at, readSeq, touched(off), touched(on), touched(calm), listed(receipts));
        asked = new Asked(move, number, receipts);
        Moved moved = store.move(move);
        asked = null;
        if (!moved.done()) {
            return false;
        }
        turn = next;
        boolean forward = number != writtenNumber;
        written = at;
        writtenNumber = number;
        lastWrite = now;
        receipts.forEach(Rider::receipted);
        off.forEach(rider -> anchored(rider, moved, next));
        on.forEach(rider -> boarded(rider, moved, next));
        calm.forEach(rider -> calmed(rider, moved));
        if (forward || !receipts.isEmpty() || !on.isEmpty()) {
            settleBusy(at, number);
        }
        return true;
    }

    private List<Rider> some(Iterable<Rider> all) {
        List<Rider> some = new ArrayList<>();
        for (Rider rider : all) {
            if (some.size() == portions.lanes()) {
                break;
            }
            some.add(rider);
        }
        return some;
    }

    private static List<Touched> touched(List<Rider> riders) {
        return riders.stream()
                .map(rider -> {
                    Lease lease = rider.grant().lease();
                    return new Touched(lease.laneId(), lease.epoch(), rider.turn());
                })
                // In one order, like all who write many marks at a time.
                .sorted(Comparator.comparingLong(Touched::lane))
                .toList();
    }

    private List<Rider> toBeCalmed(long now) {
        if (now - lastCalming < SECOND) {
            return List.of();
        }
        lastCalming = now;
        return some(disturbed.stream().filter(Rider::isProven).toList());
    }

    private Map<Rider, Integer> takeReceipts(long now) {
        if (now - lastReceipts < SECOND) {
            return Map.of();
        }
        lastReceipts = now;
        Map<Rider, Integer> receipts = new LinkedHashMap<>();
        for (Rider rider : busy) {
            if (carried.contains(rider) && rider.unreceipted() > 0) {
                receipts.put(rider, rider.unreceipted());
            }
        }
        return receipts;
    }

    private static List<Receipt> listed(Map<Rider, Integer> receipts) {
        List<Receipt> all = new ArrayList<>();
        receipts.forEach(
                (rider, count) -> all.add(new Receipt(rider.grant().lease().laneId(), count)));
        return all;
    }

    private void anchored(Rider rider, Moved moved, long withTurn) {
        leaving.remove(rider).ifPresent(Handed::release);
        carried.remove(rider);
        busy.remove(rider);
        if (moved.touched().contains(rider.grant().lease().laneId())) {
            rider.anchored(written, writtenNumber, withTurn);
        } else {
            rider.mislaid();
        }
    }

    private void boarded(Rider rider, Moved moved, long withTurn) {
        boarding.remove(rider);
        if (moved.touched().contains(rider.grant().lease().laneId())) {
            carried.add(rider);
            busy.add(rider);
            if (rider.isDisturbed()) {
                disturbed.add(rider);
            }
            rider.boarded(written, writtenNumber, withTurn);
        } else {
            riders.remove(rider);
            busy.remove(rider);
            offers.withdraw(rider).ifPresent(Handed::release);
            rider.mislaid();
        }
    }

    private void calmed(Rider rider, Moved moved) {
        if (moved.touched().contains(rider.grant().lease().laneId())) {
            disturbed.remove(rider);
            rider.calmed();
        }
    }

    private void settleBusy(Mark at, long number) {
        busy.removeIf(rider -> {
            boolean isCarried = carried.contains(rider);
            if (isCarried) {
                rider.carried(at, number);
            }
            return isCarried && rider.isAtRest();
        });
    }

    // ---- reading

    /** Counts the reads at the tail. */
    interface Reads {
        long count();
    }

    /**
     * Reads if it is time, and hands out what it has read. Not while somebody is on the way off, who has read no further:
     * his row must not say more.
     */
    void read(Reads reads) {
        sharedReads.forget(ticker.nanos());
        if (isOnlyAwaited()) {
            standAt(endOfReads());
            arrive();
        }
        giveOut();
        if (riders.isEmpty()
                || !leaving.isEmpty()
                || offers.isFull()
                || !pace.isDue(ticker.nanos())
                || session.isEnded()) {
            return;
        }
        boolean atTail = cursor instanceof Cursor.Tail;
        Batch batch = log().read(cursor, portions.events(), portions.bytes());
        long after = ticker.nanos();
        if (atTail) {
            read = reads.count();
            if (Filter.ALL.equals(logged)) {
                sharedReads.step(batch, read);
            }
        }
        Batch part = offer(batch, after);
        if (!part.endsWindow()) {
            pace.moreAtOnce(after);
        } else if (batch.events().isEmpty()) {
            pace.foundNothing(after);
        } else {
            pace.foundAll(after);
        }
    }

    /** Returns what is offered; what follows is read again, once there is room for it. */
    private Batch offer(Batch batch, long now) {
        int count = 0;
        for (RecordedEvent event : batch.events()) {
            if (offers.areMany()) {
                break;
            }
            count++;
            readSeq = Math.max(readSeq, event.seq());
            Handed handed = trail.next(batch, event, read, now);
            riders.forEach(event.event(), rider -> {
                handed.hold();
                offers.add(rider, handed);
            });
            if (handed.isHeld()) {
                trail.add(handed);
            }
        }
        Batch part = batch.upTo(count);
        cursor = part.next();
        trail.readTo(part.markAtEnd());
        giveOut();
        if (part.endsWindow()) {
            arrive();
        }
        return part;
    }

    private void giveOut() {
        while (offers.mayBeGiven()) {
            Rider rider = offers.first();
            give(rider, offers.take(rider));
        }
    }

    private void give(Rider rider, List<Handed> events) {
        int taken = rider.take(events);
        busy.add(rider);
        if (taken < events.size()) {
            // What it has not taken the front must not pass before its row is its own.
            events.subList(taken, events.size()).forEach(each -> offers.add(rider, each));
            rider.putOff(getOff(rider));
        }
    }

    private EventLog log() {
        Filter wanted = riders.union();
        if (log == null || !wanted.equals(logged)) {
            log = logs.apply(scope(wanted));
            logged = wanted;
        }
        return log;
    }

    private LaneScope scope(Filter filter) {
        return new LaneScope(filter, 1, 0, floorSeq, null, null);
    }

    private void setPace() {
        pace = pace.between(riders.pollLeast(), riders.pollMost());
    }

    /** Something was committed. */
    void wake() {
        pace.moreAtOnce(ticker.nanos());
    }

    // ---- time

    /** In how many nanoseconds there is something to do. */
    long nextNanos() {
        long now = ticker.nanos();
        if (session.isEnded()) {
            return SECOND;
        }
        if (hurried || isWriteDue(now) || isOnlyAwaited() || offers.mayBeGiven()) {
            return 0;
        }
        long next = riders.isEmpty() || offers.isFull() ? SECOND : pace.due() - now;
        if (trail.settledNumber() != writtenNumber) {
            next = Math.min(next, lastWrite + SETTLE_NANOS - now);
        } else if (!trail.settled().equals(written)) {
            next = Math.min(next, lastWrite + SECOND - now);
        }
        if (!boarding.isEmpty()) {
            next = Math.min(next, lastBoarding + SETTLE_NANOS - now);
        }
        if (!busy.isEmpty()) {
            next = Math.min(next, lastReceipts + SECOND - now);
        }
        if (!disturbed.isEmpty()) {
            next = Math.min(next, lastCalming + SECOND - now);
        }
        Handed first = trail.firstHeld();
        if (first != null) {
            next = Math.min(next, Math.max(first.since() + SECOND, lastLook + SEARCH_NANOS) - now);
        }
        return Math.max(0, next);
    }
}
