package dev.posthorn.relay.lane;

import dev.posthorn.error.PosthornException;
import dev.posthorn.relay.budget.CurrentOrders;
import dev.posthorn.relay.budget.InFlightPlaces;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.budget.Setback;
import dev.posthorn.relay.budget.Tokens;
import dev.posthorn.relay.lane.trouble.ReceiverState;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Moves a share of a subscription's keys from the log to its sink. An actor: one thread of control, a mailbox for the
 * sink's answers, and a {@link #step()} that does whatever is due.
 *
 * <p>The lane reads ahead of what the sink has answered and across windows, but its mark moves in order only, over
 * events that were delivered or have a row, and what it has read beyond the <em>persisted</em> mark is bounded: that is
 * the most it can deliver twice. While nothing is the matter with it, it rides: what its connection's
 * {@link dev.posthorn.relay.front.Front} has read comes to it, and the front writes how far it is settled.
 *
 * <p>What it has read is good only as long as the connection that it was read on. A database that crashed gives
 * transaction ids and sequence numbers out again, below what a lane has read in memory. So a lane that finds itself on
 * another connection begins a new {@link LaneRun} from where it stands in the store, as after a take-over; it keeps only
 * what it knows of its sink: what is on its way there, and what has arrived.
 */
public final class Lane {

    private static final long SECOND = 1_000_000_000;

    /** How soon to ask a database again that has not done what it was asked. */
    private static final long RETRY = SECOND / 20;

    /** There is nothing to be done at any time. */
    private static final long LONG = Long.MAX_VALUE / 2;

    /** What a lane is doing. */
    public enum State {
        RUNNING,
        /** Everything sent is settled, and the lease given up or gone with its generation. */
        LEFT,
        /** Another instance owns the lane, or its session has ended. */
        LOST
    }

    private final LaneGrant grant;
    private final Subscription subscription;
    private final LanePorts ports;
    private final LaneStore store;
    private final LaneHold hold;
    private final LaneCounters counters = new LaneCounters();
    private @Nullable LaneRun run;

    /** While it sleeps, which it does while it rides and has nothing to do: all that is left of its run. */
    private volatile @Nullable Aboard asleep;

    private final CurrentOrders orders;
    private volatile State state = State.RUNNING;
    private volatile boolean woken;
    private volatile boolean asked;
    private volatile boolean retired;

    /** The orders of the last step, if nothing was on its way after it. */
    private volatile @Nullable LaneOrders obeyed;

    /** As of the end of its last step; a lane that is lost takes nothing up any more. */
    private volatile boolean emptyHanded = true;

    private Runnable signal = () -> {};
    private volatile Consumer<Lane> whenEnded = lane -> {};

    public Lane(LaneGrant grant, Subscription subscription, LanePorts ports, LaneOrders orders) {
        this.grant = grant;
        this.subscription = subscription;
        this.ports = ports;
        this.store = ports.store();
        this.orders = new CurrentOrders(orders);
        InFlight.Answers answers = new InFlight.Answers();
        this.hold = new LaneHold(
                () -> signal.run(),
                this.orders,
                counters,
                answers,
                new InFlight(
                        grant.name(),
                        subscription,
                        ports,
                        orders,
                        answered -> post(answers, answered),
                        () -> signal.run()),
                new InFlightPlaces(this.orders),
                new Tokens(orders.allowance(), store),
                new ReceiverState(grant.name(), subscription, ports.listener(), ports.ticker()),
                new Setback());
    }

    private void post(InFlight.Answers answers, Sending answered) {
        answers.add(answered);
        signal.run();
    }

    /**
     * One pass. Returns after how many nanoseconds the next one is of use, unless the lane is signalled before: 0 means
     * at once.
     */
    public long step() {
        LaneOrders now = orders();
        if (lease().isLost()) {
            end(State.LOST);
        } else if (retired) {
            endWithGeneration();
        }
        if (isEnded()) {
            return SECOND;
        }
        if (maySleepOn(now)) {
            hold.sent().slots().takeGiven();
            hold.sent().slots().putDown();
            obeyed = now;
            return Long.MAX_VALUE;
        }
        wakeUp();
        hold.sent().slots().takeGiven();
        if (run != null) {
            run.listen();
        }
        long rest = hold.setback().restNanos(ports.ticker().nanos());
        if (rest <= 0 && !tryToWork()) {
            rest = RETRY;
        }
        if (orders().leave() && run != null && run.isReadyToLeave()) {
            end(State.LEFT);
        }
        hold.sent().slots().putDown();
        obeyed = hold.sent().count() == 0 ? now : null;
        emptyHanded = run == null || run.hasNothingInHand();
        long pause = isEnded() ? SECOND : pause(rest);
        if (run != null && !isEnded() && pause > LONG) {
            asleep = run.fallAsleep();
            run = asleep == null ? run : null;
        }
        return pause;
    }

    /**
     * Hears what its sink has answered, and no more, while somebody else sees whether the database is back. Slots that it was
     * given are for others, whose database may be there.
     */
    public void hear() {
        hold.sent().slots().takeGiven();
        if (hold.sent().count() > 0 && run != null) {
            run.listen();
        }
        hold.sent().slots().putDown();
    }

    /** Lanes that have nothing to do are many: each is then no more than where its row stands. */
    private void wakeUp() {
        if (asleep != null) {
            run = LaneRun.awake(asleep, ports, hold);
            asleep = null;
        }
    }

    /** Whether there is nothing in the orders, either, for a lane that sleeps: they are obeyed, and it goes on by them. */
    private boolean maySleepOn(LaneOrders now) {
        return asleep != null
                && !asked
                && asleep.mayRest()
                && hold.answers().isEmpty()
                && store.isCurrent()
                && now.isSending()
                && !now.park()
                && now.letGoSeq() == 0;
    }

    private long pause(long rest) {
        if (run == null) {
            return Math.max(RETRY, rest);
        }
        return rest > 0 ? Math.min(rest, run.silenceNanos()) : run.pause();
    }

    /** False if the database does not let it. */
    private boolean tryToWork() {
        try {
            work();
            return true;
        } catch (PosthornException e) {
            counters.databaseTrouble(name(), e);
            if (run != null) {
                run.failedToWork();
            }
            return false;
        }
    }

    private void work() {
        LaneRun now = run != null && !run.isVoid() && store.isCurrent() ? run : begin(run);
        if (now != null && woken) {
            woken = false;
            now.wake();
        }
        if (now != null && asked) {
            asked = false;
            now.tendAtOnce();
        }
        if (now != null && !now.work()) {
            begin(now);
        }
    }

    /**
     * Begins from where the lane stands in the store; null if it is not this owner's any more. Whatever may fail comes
     * first: until the last line the former run is the lane's.
     */
    private @Nullable LaneRun begin(@Nullable LaneRun former) {
        long asked = ports.ticker().nanos();
        StoredLane stored = store.begin();
        if (stored == null) {
            if (store.hasEnded()) {
                endWithGeneration();
            } else {
                end(State.LOST);
            }
            return null;
        }
        lease().stored(asked, stored.leased());
        SentBefore sent = new SentBefore();
        if (former != null) {
            former.resolve(stored.turn());
            former.keepSent(sent);
        }
        List<DeliveryRow> rows = rows(sent);
        Aboard apart = new Aboard(grant, subscription, ports, hold, this::wakeUp);
        LaneRun next = new LaneRun(apart, ports, hold, stored, sent);
        next.know(blockedKeys(stored, rows), rows);
        if (former != null) {
            former.end();
            next.oweReceipt(former.owedReceipt(stored.turn()));
        } else {
            hold.receiver().inherit(stored.denialReason());
        }
        sent.strand();
        next.restore(rows);
        run = next;
        return next;
    }

    /** A row that was found was written by a settle that came late: after the lane was seen to be calm. */
    private LaneStore.Blocked blockedKeys(StoredLane stored, List<DeliveryRow> rows) {
        return stored.calm() && rows.isEmpty()
                ? LaneStore.Blocked.NONE
                : store.blockedKeys(subscription.blockedKeysLimit());
    }

    /** The rows of what was sent before, as far as they are there. */
    private List<DeliveryRow> rows(SentBefore sent) {
        List<DeliveryRow> rows = new ArrayList<>();
        for (long seq : sent.isEmpty() ? Set.<Long>of() : store.known(sent.seqs())) {
            DeliveryRow row = store.row(seq);
            if (row != null && sent.isOf(row)) {
                rows.add(row);
            }
        }
        return rows;
    }

    /** With something in its hands it was not this owner that stopped where the generation ended. */
    private void endWithGeneration() {
        wakeUp();
        end(run == null || run.hasNothingInHand() ? State.LEFT : State.LOST);
    }

    private void end(State how) {
        if (!isEnded()) {
            state = how;
            try {
                endRun();
                if (how == State.LOST) {
                    ports.listener()
                            .leaseLost(subscription.name(), name(), hold.sent().count());
                }
            } finally {
                // Also if a sink cannot be closed: nobody asks it a second time whether it has ended.
                whenEnded.accept(this);
            }
        }
    }

    private void endRun() {
        hold.sent().end();
        wakeUp();
        if (run != null) {
            run.end();
        }
        hold.tokens().putDown();
    }

    /** Looks at the log without waiting for the next poll: something was committed. From any thread. */
    public void wake() {
        woken = true;
        signal.run();
    }

    /** Looks at commands and replays without waiting for its next look: somebody asked for one. From any thread. */
    public void tend() {
        asked = true;
        signal.run();
    }

    /**
     * What to call when the lane should be stepped without delay: it is called for each answer. To be set before the first
     * step.
     */
    public void onSignal(Runnable signal) {
        this.signal = signal;
    }

    /** Whom to tell that it has ended; he may be told twice if it ends meanwhile. */
    public void onEnd(Consumer<Lane> told) {
        whenEnded = told;
    }

    /** From any thread. */
    public void order(LaneOrders orders) {
        this.orders.replaceBy(orders);
        signal.run();
    }

    /** Whether nothing is on its way, and nothing will be sent by the orders that it has now. From any thread. */
    @SuppressWarnings("ReferenceEquality") // The same words, given again after others, are to be obeyed again.
    public boolean isSilent() {
        LaneOrders now = orders();
        return isEnded() || (!now.isSending() && obeyed == now);
    }

    /** Whether it has neither sent anything that is not settled nor anything to send. From any thread. */
    public boolean isEmptyHanded() {
        Aboard sleeping = asleep;
        return emptyHanded || (sleeping != null && sleeping.isAllPassed());
    }

    /** Its generation has ended; it must not read on. From any thread. */
    public void retire() {
        retired = true;
        signal.run();
    }

    /** It is not this process's any more. From any thread. */
    public void lose() {
        lease().lose();
        signal.run();
    }

    public LaneOrders orders() {
        return orders.get();
    }

    /**
     * Whether its next step begins with the question where it stands. So whoever steps many can ask that for all of them at
     * once. Only between its steps, from the thread of those.
     */
    public boolean isAboutToBegin() {
        return !isEnded()
                && !lease().isLost()
                && !retired
                && (isVoid() || !store.isCurrent())
                && hold.setback().restNanos(ports.ticker().nanos()) <= 0;
    }

    private boolean isVoid() {
        return asleep == null ? run == null || run.isVoid() : asleep.isMislaid();
    }

    public LaneGrant grant() {
        return grant;
    }

    public Lease lease() {
        return grant.lease();
    }

    public boolean isEnded() {
        return state == State.LEFT || state == State.LOST;
    }

    public String name() {
        return grant.name();
    }

    /** Whether the front reads for it. For the lane's thread only. */
    public boolean isRiding() {
        return asleep != null || (run != null && run.isRiding());
    }

    /** Whether it rides and has nothing to do, so that nothing is left of it but where its row stands. */
    public boolean isAsleep() {
        return asleep != null;
    }

    public State state() {
        return state;
    }

    public LaneCounters counters() {
        return counters;
    }
}
