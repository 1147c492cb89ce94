package dev.posthorn.relay;

import dev.posthorn.error.PosthornException;
import dev.posthorn.relay.front.Front;
import dev.posthorn.relay.front.Ride;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lanes of one connection, on one thread of control. A lane is stepped when it was signalled, by an answer, an order
 * or a commit, and when the time has come that it named at its last step. Until then it costs nothing, so that a worker
 * has to do with as many lanes as have something to do, however many it owns.
 *
 * <p>Thread-safe but for {@link #step()}, which belongs to the crew's thread.
 */
public final class Crew {

    private static final Logger log = LoggerFactory.getLogger(Crew.class);

    private static final long SECOND = 1_000_000_000;

    private static final long RETRY = SECOND / 20;

    /** So many begin by one look at where they stand: by the time that others have begun it would be old. */
    private static final int AHEAD = 100;

    /**
     * While lanes wait for their turn, so long after it was stepped the front is stepped again: it asks the database each
     * time, and most lanes that begin do not. On a busy machine a thousand would each wait for an answer else.
     */
    private static final long FRONT_RESTS = 5_000_000;

    /** What it takes to put one off, times ten. */
    private static final long RETRY_OF_EACH = 10_000;

    /** A lane, whether it waits to be stepped, and when it is to be at the latest. */
    private static final class Member {

        private final Lane lane;
        private final long number;

        /** A lane that was signalled twice before its step is stepped once. */
        private final AtomicBoolean queued = new AtomicBoolean();

        private boolean timed;
        private long due;

        Member(Lane lane, long number) {
            this.lane = lane;
            this.number = number;
        }

        /** By differences, as for all times of a monotonic clock. */
        static int bySoonest(Member one, Member other) {
            long between = one.due - other.due;
            return between == 0 ? Long.compare(one.number, other.number) : Long.signum(between);
        }
    }

    private final Ticker ticker;
    private final Front front;
    private final Consumer<List<LaneGrant>> ahead;
    private final Stepping stepping;
    private final Set<Member> members = Collections.synchronizedSet(new LinkedHashSet<>());
    private volatile Runnable signal = () -> {};

    /** In the order in which they were signalled; from any thread. */
    private final Queue<Member> ready = new ConcurrentLinkedQueue<>();

    /** Those of this pass. What is signalled from now on waits for the next, so that nobody's turn is put off by it. */
    private final Queue<Member> turn = new ArrayDeque<>();

    /** Those who ride, and have something to do: they wait for no pass. */
    private final Queue<Member> riding = new ArrayDeque<>();

    /** Of this pass, those who are about to begin and were not looked for yet, in their order. */
    private final Queue<Member> unseen = new ArrayDeque<>();

    /** Those of the next pass. */
    private final Queue<Member> later = new ArrayDeque<>();

    private final TreeSet<Member> timers = new TreeSet<>(Member::bySoonest);
    private long added;

    /** Those that read for themselves. */
    private final Set<Member> apart = new LinkedHashSet<>();

    /** Whether the database did not answer when it was last tried for many, and when to try it again. */
    private boolean away;

    private long frontStepped;

    private long nextTry;

    private volatile boolean woken;

    /** @param ahead looks for several lanes at once where they stand */
    public Crew(Front front, Consumer<List<LaneGrant>> ahead, Ticker ticker, Stepping stepping) {
        this.front = front;
        this.ahead = ahead;
        this.ticker = ticker;
        this.stepping = stepping;
    }

    /** What to call when there is something to do. To be set before the first lane is added. */
    public void onSignal(Runnable signal) {
        this.signal = signal;
    }

    /** What lanes of this crew may ride on. */
    public Ride ride() {
        return front;
    }

    /** Something was committed: whoever reads looks at once. */
    public void wake() {
        woken = true;
        signal.run();
    }

    /** Steps the lane from now on, for the first time at once. */
    public void add(Lane lane) {
        Member member;
        synchronized (members) {
            member = new Member(lane, added++);
            members.add(member);
        }
        lane.onSignal(() -> signal(member));
        signal(member);
    }

    private void signal(Member member) {
        if (enqueue(member)) {
            signal.run();
        }
    }

    private boolean enqueue(Member member) {
        // A plain read first: many answers come for a lane that is to be stepped already.
        return !member.queued.get() && member.queued.compareAndSet(false, true) && ready.add(member);
    }

    /**
     * Steps every lane that was signalled or is due, once. Returns after how many nanoseconds to come again unless there
     * is a signal before: 0 if a lane waits already, and never more than a second.
     */
    public long step() {
        if (woken) {
            woken = false;
            front.wake();
            apart.forEach(member -> member.lane.wake());
        }
        stepFront();
        gatherTurn();
        gatherBeginning();
        stepRiding();
        for (Member next = turn.peek(); next != null; next = turn.peek()) {
            if (next == unseen.peek()) {
                lookAhead();
            }
            turn.remove();
            stepOne(next);
            // A lane by itself asks the database; who rides does not, and waits for one of the others at most.
            gather(later);
            stepRiding();
        }
        return ready.isEmpty() && later.isEmpty() ? Math.min(untilTimer(), front.nextNanos()) : 0;
    }

    private void stepRiding() {
        for (Member next = riding.poll(); next != null; next = riding.poll()) {
            stepOne(next);
        }
    }

    private void stepOne(Member member) {
        // Before its step: what is signalled from here on may come too late to be seen by it.
        member.queued.set(false);
        step(member);
        if (front.nextNanos() <= 0 && (turn.isEmpty() || ticker.nanos() - frontStepped >= FRONT_RESTS)) {
            // However many lanes wait for their turn, what comes is read meanwhile.
            stepFront();
        }
    }

    private void stepFront() {
        try {
            stepping.step(front);
        } catch (Throwable bug) {
            // It has ended; without their thread the lanes could not even begin anew.
            stepping.failed(bug);
        }
        frontStepped = ticker.nanos();
    }

    /** While the database is away one of those who begin tries it, and tells, for all; the others only hear what comes for them. */
    private void gatherBeginning() {
        unseen.clear();
        turn.stream().filter(member -> member.lane.isAboutToBegin()).forEach(unseen::add);
        long wait = away ? nextTry - ticker.nanos() : 0;
        if (wait > 0) {
            putOff(takeUnseen(Integer.MAX_VALUE), wait);
        } else {
            away = false;
        }
    }

    private List<Member> takeUnseen(int most) {
        List<Member> some = new ArrayList<>();
        while (some.size() < most && !unseen.isEmpty()) {
            some.add(unseen.remove());
        }
        return some;
    }

    /** Many lanes that begin, after a take-over or a lost connection, cost a few statements. */
    private void lookAhead() {
        List<Member> beginning = takeUnseen(AHEAD);
        if (beginning.size() < 2) {
            return;
        }
        try {
            ahead.accept(beginning.stream().map(member -> member.lane.grant()).toList());
            // Only where it has read since can they get on.
            stepFront();
        } catch (PosthornException e) {
            log.debug("Where lanes stand could not be read ahead: {}", e.getMessage());
            List<Member> others = new ArrayList<>(beginning.subList(1, beginning.size()));
            others.addAll(takeUnseen(Integer.MAX_VALUE));
            long pause = RETRY + others.size() * RETRY_OF_EACH;
            away = true;
            nextTry = ticker.nanos() + pause;
            putOff(others, pause);
        } catch (Throwable bug) {
            log.error(
                    "Where lanes stand could not be read ahead: an error nobody expected; each looks for itself", bug);
        }
    }

    private void putOff(List<Member> some, long pause) {
        turn.removeAll(new HashSet<>(some));
        some.forEach(member -> putOff(member, pause));
    }

    private void putOff(Member member, long pause) {
        member.queued.set(false);
        disarm(member);
        try {
            member.lane.hear();
        } catch (Throwable bug) {
            stepping.failed(member.lane, bug);
        }
        stepAgainIn(pause, member);
    }

    private void gatherTurn() {
        long now = ticker.nanos();
        while (!timers.isEmpty() && timers.first().due - now <= 0) {
            Member due = timers.first();
            disarm(due);
            enqueue(due);
        }
        turn.addAll(later);
        later.clear();
        gather(turn);
    }

    /** Takes up who was signalled: who rides at once, the others for that pass. */
    private void gather(Queue<Member> others) {
        for (Member next = ready.poll(); next != null; next = ready.poll()) {
            Lane lane = next.lane;
            boolean rides = lane.isRiding() && !lane.isAboutToBegin();
            (rides ? riding : others).add(next);
        }
    }

    private void step(Member member) {
        disarm(member);
        long pause = SECOND;
        try {
            pause = stepping.step(member.lane);
        } catch (Throwable bug) {
            // Without their thread the other lanes would stand still too.
            stepping.failed(member.lane, bug);
        } finally {
            if (member.lane.isEnded()) {
                members.remove(member);
                apart.remove(member);
            } else {
                stepAgainIn(pause, member);
                note(member);
            }
        }
    }

    private void note(Member member) {
        if (member.lane.isRiding()) {
            apart.remove(member);
        } else {
            apart.add(member);
        }
    }

    private void stepAgainIn(long pause, Member member) {
        if (pause <= 0) {
            enqueue(member);
        } else if (pause < Long.MAX_VALUE / 2) {
            member.due = ticker.nanos() + pause;
            member.timed = true;
            timers.add(member);
        }
    }

    private void disarm(Member member) {
        if (member.timed) {
            timers.remove(member);
            member.timed = false;
        }
    }

    private long untilTimer() {
        return timers.isEmpty() ? SECOND : Math.max(0, Math.min(SECOND, timers.first().due - ticker.nanos()));
    }

    /** Those that have not ended, in the order in which they were added. */
    public List<Lane> lanes() {
        synchronized (members) {
            return new ArrayList<>(members).stream().map(member -> member.lane).toList();
        }
    }

    public int load() {
        return members.size();
    }
}
