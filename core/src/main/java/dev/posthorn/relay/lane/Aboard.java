package dev.posthorn.relay.lane;

import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.front.Handed;
import dev.posthorn.relay.front.MoveInDoubt;
import dev.posthorn.relay.front.Ride;
import dev.posthorn.relay.front.Rider;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a lane stands with the front: on its own, aboard, carried, or on its way off. Of all that a lane is made of only this
 * is there while it <em>sleeps</em>, carried and with nothing to do: what that costs there are as many of as lanes.
 */
final class Aboard implements Rider {

    private enum Standing {
        /** It reads and settles by itself. */
        APART,
        /** The front reads for it, and its row is its own: it settles nothing until it is carried. */
        ABOARD,
        /** Its row is the front's. */
        CARRIED,
        /** It reads by itself, once its row is its own again. */
        LEAVING
    }

    /** An event that is settled, and the front's number for it. */
    private record Settled(long number, LaneEvent event) {}

    /** An event that it was given, and when. It may have waited in the front for long, of which the lane knows nothing. */
    private record InHand(Handed event, long since) {}

    private static final long LONGEST_WAIT = 1_000_000_000;

    /** When not the receiver but the front is slow, much is to be done, and by itself a lane would add to it. */
    private static final long LONGEST_BOARDING = 10 * LONGEST_WAIT;

    /** The front has not come to where it got on. */
    private static final long NOT_YET = Long.MAX_VALUE;

    private static final long LOOK = LONGEST_WAIT / 5;

    /** Whoever is at fault. */
    private static final long LONGEST_HOLD = 30 * LONGEST_WAIT;

    private final LaneGrant grant;
    private final Subscription subscription;
    private final Ride ride;
    private final LanePorts ports;
    private final LaneHold hold;
    private final Runnable wake;

    /** Of the run that is under way; null while it sleeps. */
    private @Nullable LaneParts parts;

    private @Nullable LaneReader reader;

    /** What the lane goes on from when it is woken. */
    private @Nullable StoredLane asleep;

    private Standing standing = Standing.APART;
    private boolean mislaid;
    private @Nullable MoveInDoubt inDoubt;

    /** Unsettled events that it had read by itself when it got on. */
    private int own;

    private long boardedAt;
    private long aboardSince;
    private final ArrayDeque<InHand> held = new ArrayDeque<>(1);

    /** Not settled before its row is its own, because they are to get rows themselves. */
    private final List<Handed> kept = new ArrayList<>();

    /** Settled, and not known to be behind the front's written position. */
    private final ArrayDeque<Settled> settled = new ArrayDeque<>(1);

    private int unreceipted;

    /** Whether the front has passed all that the lane had delivered when it fell asleep. Read from any thread. */
    private volatile boolean allPassed;

    /** Whether the lane was not stepped since it took something. */
    private boolean unseen;

    /** The run is over: nobody there wants to be told anything. */
    private boolean over;

    /** @param wake has a lane that sleeps begin a run that goes on */
    Aboard(LaneGrant grant, Subscription subscription, LanePorts ports, LaneHold hold, Runnable wake) {
        this.grant = grant;
        this.subscription = subscription;
        this.ride = ports.ride();
        this.ports = ports;
        this.hold = hold;
        this.wake = wake;
    }

    /** From now on, what a run is made of; its reader knows it too. */
    void serve(LaneParts own, LaneReader ownReader) {
        parts = own;
        reader = ownReader;
        asleep = null;
    }

    private LaneParts parts() {
        return Objects.requireNonNull(parts);
    }

    private Progress progress() {
        return parts().progress();
    }

    private LaneReader reader() {
        return Objects.requireNonNull(reader);
    }

    // ---- sleeping

    /** Whether only the front has something to do for it: to pass what it has delivered, and to say so. */
    boolean mayRest() {
        return standing == Standing.CARRIED
                && !mislaid
                && held.isEmpty()
                && settled.stream().allMatch(each -> each.event().isDelivered());
    }

    /** Forgets all but what the lane will go on from. */
    void fallAsleep(StoredLane from) {
        asleep = from;
        allPassed = settled.isEmpty();
        parts = null;
        reader = null;
    }

    /** Of a lane that sleeps: whether the front has passed all that it has delivered. From any thread. */
    boolean isAllPassed() {
        return allPassed;
    }

    /** What the lane goes on from. */
    StoredLane asleep() {
        return Objects.requireNonNull(asleep);
    }

    /** What it has delivered and the front has not passed, for the run that goes on. */
    Stream<LaneEvent> unpassed() {
        return settled.stream().map(Settled::event);
    }

    private void wakeIfAsleep() {
        if (asleep != null) {
            wake.run();
        }
    }

    /** The run that goes on has to know what was delivered before the front has ended, or is not its lane's any more. */
    private void wakeIfOwed() {
        if (!isAtRest()) {
            wakeIfAsleep();
        }
    }

    // ---- for the lane

    Ride ride() {
        return ride;
    }

    /** Whether it reads and settles by itself. */
    boolean isApart() {
        return standing == Standing.APART;
    }

    /** Whether the front reads for it. */
    boolean isRiding() {
        return standing == Standing.ABOARD || standing == Standing.CARRIED;
    }

    /**
     * Whether the front settles for it, or is to put it off first. It gets off as soon as something is the matter.
     *
     * @param well whether nothing is
     */
    boolean isSettledFor(boolean well) {
        unseen = false;
        if (isRiding() && (!well || waitsTooLong(ports.ticker().nanos()))) {
            reader().readOn(getOff());
        }
        int limit = hold.orders().get().inFlightLimit();
        if (isHelpedByAMove() && progress().unwritten() >= (limit + 1) / 2) {
            ride.hurry();
        }
        return !isApart();
    }

    /** Not while it has something to settle itself, or the front has not come to where it got on. */
    private boolean isHelpedByAMove() {
        return standing == Standing.CARRIED
                || standing == Standing.LEAVING
                || (standing == Standing.ABOARD && own == 0 && boardedAt != NOT_YET);
    }

    /** Whether what it knows of its row is not true any more. */
    boolean isMislaid() {
        return mislaid;
    }

    /** @param unsettled how many events it has read and not settled */
    boolean board(Snapshot tail, long read, int unsettled, long now) {
        boardedAt = NOT_YET;
        if (!ride.board(this, tail, read)) {
            return false;
        }
        standing = Standing.ABOARD;
        own = unsettled;
        aboardSince = now;
        return true;
    }

    /** Whether what it has to settle is not taken care of for too long, because something keeps it from being carried. */
    private boolean waitsTooLong(long now) {
        return nextDueNanos(now) <= 0;
    }

    /** In how many nanoseconds to see to it that it is settled for. */
    long nextNanos(boolean well) {
        return isRiding() && !well ? 0 : nextDueNanos(ports.ticker().nanos());
    }

    private long nextDueNanos(long now) {
        boolean waits = standing == Standing.ABOARD && (own > 0 || !settled.isEmpty());
        if (!waits) {
            return Long.MAX_VALUE;
        }
        long atLast = aboardSince + LONGEST_BOARDING - now;
        if (own == 0) {
            return atLast;
        }
        InFlight sent = hold.sent();
        long late = aboardSince + LONGEST_WAIT - now;
        boolean isHeldUp = late <= 0 && sent.isHeldUp(LONGEST_WAIT);
        return late > 0 || isHeldUp ? late : Math.min(sent.count() > 0 ? LOOK : LONGEST_WAIT, atLast);
    }

    /** Where it is to read on. */
    Ride.Position getOff() {
        Ride.Position position = ride.getOff(this);
        goApart();
        return position;
    }

    private void goApart() {
        if (standing == Standing.CARRIED) {
            standing = Standing.LEAVING;
        } else {
            standing = Standing.APART;
            forget();
        }
    }

    /** The first of the events in its hands is settled. */
    void settled(LaneEvent event) {
        if (standing == Standing.APART) {
            return;
        }
        if (own > 0) {
            own--;
            settled.add(new Settled(boardedAt, event));
        } else {
            Handed handed = held.remove().event();
            if (event.isSetAside()) {
                kept.add(handed);
            } else {
                handed.release();
            }
            settled.add(new Settled(handed.number(), event));
        }
    }

    /** Its front has ended: whether the move that was under way was done is known by the turn that the lane's row says. */
    void resolve(long storedTurn) {
        MoveInDoubt move = inDoubt;
        inDoubt = null;
        if (move != null && move.turn() == storedTurn) {
            passed(move.at(), move.number());
            receipted(move.receipted());
            progress().anchored(storedTurn);
        }
        if (standing == Standing.APART) {
            forget();
        }
    }

    /** The run is over. */
    void end() {
        over = true;
        if (standing != Standing.APART) {
            ride.leaveBehind(this);
            goApart();
        }
    }

    // ---- for the front

    @Override
    public LaneGrant grant() {
        return grant;
    }

    @Override
    public Subscription subscription() {
        return subscription;
    }

    @Override
    public int take(List<Handed> events) {
        wakeIfAsleep();
        int taken = reader().takeRidden(events);
        long now = ports.ticker().nanos();
        events.subList(0, taken).forEach(event -> held.add(new InHand(event, now)));
        unseen = true;
        hold.signal().run();
        return taken;
    }

    @Override
    public void putOff(Ride.Position position) {
        reader().readOn(position);
        goApart();
        hold.signal().run();
    }

    @Override
    public @Nullable Handed firstHeld() {
        InHand first = held.peek();
        return first == null ? null : first.event();
    }

    @Override
    public boolean isSlow() {
        InHand first = held.peek();
        if (first != null && ports.ticker().nanos() - first.since() >= LONGEST_HOLD) {
            return true;
        }
        return !unseen && hold.answers().isEmpty() && hold.sent().isHeldUp(LONGEST_WAIT);
    }

    @Override
    public void sendOff() {
        if (isRiding()) {
            reader().readOn(getOff());
            hold.signal().run();
        }
    }

    @Override
    public void joined(long number) {
        boardedAt = number;
        // All of them are its own: it was handed nothing yet.
        List<Settled> before = List.copyOf(settled);
        settled.clear();
        before.forEach(each -> settled.add(new Settled(number, each.event())));
    }

    @Override
    public boolean isBoardable(long number) {
        return standing == Standing.ABOARD && own == 0 && parts().unwritten().isEmpty() && number >= boardedAt;
    }

    @Override
    public long turn() {
        return asleep == null ? progress().turn() : asleep.turn();
    }

    @Override
    public void boarded(Mark at, long number, long turn) {
        standing = Standing.CARRIED;
        unreceipted = (int) progress().unreceipted();
        progress().anchored(turn);
        passed(at, number);
    }

    @Override
    public boolean isDisturbed() {
        return progress().isDisturbed();
    }

    @Override
    public boolean isProven() {
        return parts().dispatch().hasReadNothing() || parts().care().isUndisturbed();
    }

    @Override
    public void calmed() {
        progress().calmed();
        hold.signal().run();
    }

    @Override
    public void carried(Mark at, long number) {
        if (!settled.isEmpty() && settled.element().number() <= number) {
            passed(at, number);
        }
    }

    /** The front has passed all that is settled up to this number. */
    private void passed(Mark at, long number) {
        List<LaneEvent> written = new ArrayList<>();
        while (!settled.isEmpty() && settled.element().number() <= number) {
            written.add(settled.remove().event());
        }
        if (over) {
            return;
        }
        unreceipted += written.size();
        hold.places().giveBack(written.size());
        if (asleep == null) {
            progress().carried(at, written);
            parts().dispatch().written(progress().writtenNumber(), reader().hasCaughtUp());
            // Places in the room are free, or it may sleep.
            hold.signal().run();
        } else {
            allPassed = settled.isEmpty();
        }
        tell(written);
    }

    private void tell(List<LaneEvent> written) {
        int delivered = 0;
        for (LaneEvent event : written) {
            delivered += event.isDelivered() ? 1 : 0;
        }
        if (delivered > 0) {
            ports.listener().delivered(subscription.name(), grant.name(), delivered);
        }
    }

    @Override
    public int unreceipted() {
        return unreceipted;
    }

    @Override
    public boolean isAtRest() {
        return held.isEmpty() && settled.isEmpty() && unreceipted == 0;
    }

    @Override
    public void receipted(int events) {
        unreceipted -= events;
        if (!over && asleep == null) {
            progress().receipted(events);
        }
    }

    @Override
    public void anchored(Mark at, long number, long turn) {
        passed(at, number);
        standing = Standing.APART;
        forget();
        if (!over) {
            progress().anchored(turn);
            hold.signal().run();
        }
    }

    @Override
    public void mislaid() {
        wakeIfOwed();
        standing = Standing.APART;
        forget();
        mislaid = true;
        hold.signal().run();
    }

    @Override
    public void ended(long turn, @Nullable MoveInDoubt last) {
        wakeIfOwed();
        if (standing != Standing.ABOARD && asleep == null) {
            progress().anchored(turn);
        }
        standing = Standing.APART;
        release();
        inDoubt = last;
        mislaid = true;
        hold.signal().run();
    }

    private void forget() {
        release();
        settled.clear();
        unreceipted = 0;
    }

    private void release() {
        own = 0;
        held.forEach(each -> each.event().release());
        held.clear();
        kept.forEach(Handed::release);
        kept.clear();
    }
}
