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
import org.jspecify.annotations.Nullable;

/**
 * Moves a share of a subscription's keys from the log to its sink. An actor: one thread of control, a mailbox for the
 * sink's answers, and a {@link #step()} that does whatever is due.
 *
 * <p>The lane reads ahead of what the sink has answered and across windows, but its mark moves from the front only, over
 * events that were delivered or have a row, and what it has read beyond the <em>persisted</em> mark is bounded: that is
 * the most it can deliver twice.
 *
 * <p>What it has read is good only as long as the connection that it was read on. A database that crashed gives
 * transaction ids and sequence numbers out again, below what a lane has read in memory. So a lane that finds itself on
 * another connection begins a new {@link LaneRun} from where it stands in the store, as after a take-over; it keeps only
 * what it knows of its sink: what is on its way there, and what has arrived.
 */
public final class Lane {

    private static final long SECOND = 1_000_000_000;

    /** What a lane is doing. */
    public enum State {
        RUNNING,
        /** Everything sent is settled, and the lease given up or gone with its generation. */
        LEFT,
        /** Another instance owns the lane. */
        LOST
    }

    private final LaneGrant grant;
    private final Subscription subscription;
    private final LanePorts ports;
    private final LaneStore store;
    private final LaneHold hold;
    private final LaneCounters counters = new LaneCounters();
    private @Nullable LaneRun run;
    private final CurrentOrders orders;
    private volatile State state = State.RUNNING;
    private volatile boolean woken;
    private volatile boolean asked;
    private volatile boolean retired;

    /** The orders of the last step, if nothing was on its way after it. */
    private volatile @Nullable LaneOrders obeyed;

    private Runnable signal = () -> {};

    public Lane(LaneGrant grant, Subscription subscription, LanePorts ports, LaneOrders orders) {
        this.grant = grant;
        this.subscription = subscription;
        this.ports = ports;
        this.store = ports.store();
        this.orders = new CurrentOrders(orders);
        Answers answers = new Answers();
        this.hold = new LaneHold(
                this.orders,
                counters,
                answers,
                new InFlight(
                        grant.name(),
                        subscription,
                        ports.ticker(),
                        orders.lastHeard(),
                        orders.retryPlaces(),
                        answered -> post(answers, answered)),
                new InFlightPlaces(this.orders),
                new Tokens(orders.allowance(), store),
                new ReceiverState(grant.name(), subscription, ports.listener(), ports.ticker()),
                new Setback());
    }

    private void post(Answers answers, Sending answered) {
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
        if (run != null) {
            run.listen();
        }
        long rest = hold.setback().restNanos(ports.ticker().nanos());
        if (rest <= 0) {
            tryToWork();
        }
        if (orders().leave() && run != null && run.isReadyToLeave()) {
            end(State.LEFT);
        }
        obeyed = hold.sent().count() == 0 ? now : null;
        return isEnded() ? SECOND : Math.max(rest, run == null ? Progress.SETTLE_NANOS : run.pause());
    }

    private void tryToWork() {
        try {
            work();
        } catch (PosthornException e) {
            counters.databaseTrouble(name(), e);
            if (run != null) {
                run.failedToWork();
            }
        }
    }

    private void work() {
        LaneRun now = run != null && store.isCurrent() ? run : begin(run);
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
        LaneRun next = new LaneRun(grant, subscription, ports, hold, stored, sent);
        next.know(store.blockedKeys(subscription.blockedKeysLimit()), rows);
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
        end(run == null || run.hasNothingInHand() ? State.LEFT : State.LOST);
    }

    private void end(State how) {
        if (!isEnded()) {
            state = how;
            hold.sent().close();
            if (run != null) {
                run.end();
            }
            hold.tokens().putDown();
            if (how == State.LOST) {
                ports.listener()
                        .leaseLost(subscription.name(), name(), hold.sent().count());
            }
        }
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

    /** What to call when the lane should be stepped without delay. To be set before the first step. */
    public void onSignal(Runnable signal) {
        this.signal = signal;
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

    /** Its generation has ended; it must not read on. From any thread. */
    public void retire() {
        retired = true;
        signal.run();
    }

    public LaneOrders orders() {
        return orders.get();
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

    public State state() {
        return state;
    }

    public LaneCounters counters() {
        return counters;
    }
}
