package dev.posthorn.relay;

import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import dev.posthorn.log.Mark;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The events in a lane's hands: hands them to the sink, each in its turn, and knows which have no answer yet. */
final class Dispatch {

    /** One in so many of the places at the sink. */
    private static final int KEPT_FREE = 4;

    private final Subscription subscription;
    private final Guards guards;
    private final Tokens tokens;
    private final InFlight sent;
    private final Consumer<Tracked> forgetRow;
    private final Consumer<Tracked> overtaken;

    /** Read and not settled, in order. */
    private final ArrayDeque<Tracked> unsettled = new ArrayDeque<>();

    /** To be sent, in order: live events and rows; then those whose turn has come; then those that were sent. */
    private ArrayDeque<Tracked> queue = new ArrayDeque<>();

    private final ReplayLine replays;
    private final ArrayDeque<Tracked> ready = new ArrayDeque<>();
    /** What was sent before the connection was lost and has not come again, and what of it came and has arrived. */
    private final SentBefore before;

    private final ArrayDeque<Tracked> arrivedBefore = new ArrayDeque<>();

    /** Delivered, and perhaps not behind the persisted mark. */
    private final ArrayDeque<Tracked> arrived = new ArrayDeque<>();

    private final KeyTurns turns = new KeyTurns();

    /** Not to be held while an earlier event of their key may fail and be held itself. */
    private final ArrayDeque<Tracked> stalled = new ArrayDeque<>();

    /** The keys of live events on their way, as of this pass; null if nobody has asked. */
    private @Nullable Set<String> keysOnTheirWay;

    private @Nullable Mark high;
    private long bytes;

    /** How many events were read. */
    private long read;

    /**
     * @param before what was sent before the connection was lost
     * @param forgetRow takes rows that leave the lane's hands without an outcome
     * @param overtaken takes events that were delivered before an earlier one of their key
     */
    Dispatch(
            Subscription subscription,
            Guards guards,
            Tokens tokens,
            InFlight sent,
            SentBefore before,
            Consumer<Tracked> forgetRow,
            Consumer<Tracked> overtaken) {
        this.subscription = subscription;
        this.guards = guards;
        this.tokens = tokens;
        this.sent = sent;
        this.before = before;
        this.forgetRow = forgetRow;
        this.overtaken = overtaken;
        this.replays = new ReplayLine(forgetRow);
        sent.items().forEach(this::takesTurn);
    }

    /** All that was sent and is not known to be settled, for who goes on after the connection was lost. */
    void keepSent(SentBefore kept) {
        kept.keepAll(before);
        arrived.forEach(kept::keepEvent);
        arrivedBefore.forEach(kept::keep);
        sent.items().forEach(kept::keep);
    }

    /** Takes an event that was read. */
    void add(Tracked event) {
        event.number(++read);
        unsettled.add(event);
        bytes += event.event().bytes();
        Tracked former = before.isEmpty() ? null : before.read(event.event());
        if (former == null) {
            queue.add(event);
        } else {
            resume(event, former);
        }
    }

    /** Takes events that have a row. */
    void addRows(Collection<Tracked> rows) {
        rows.forEach(this::addRow);
    }

    private void addRow(Tracked row) {
        if (!resumes(row)) {
            queue.add(row);
        }
    }

    /** Takes an item of a replay. */
    void addReplay(Tracked item) {
        if (!resumes(item)) {
            replays.add(item);
        }
    }

    /** Whether the item was sent before the connection was lost, and has arrived or is on its way. */
    boolean resumes(Tracked row) {
        Tracked former = before.isEmpty() ? null : before.loaded(row);
        if (former == null) {
            return false;
        }
        row.resume(former);
        if (row.isDelivered()) {
            arrivedBefore.add(row);
        }
        return !row.isToBeSent();
    }

    private void resume(Tracked event, Tracked former) {
        event.resume(former);
        if (event.isDelivered()) {
            arrivedBefore.add(event);
        } else if (event.isInFlight()) {
            high = event.markAfter();
        } else {
            queue.add(event);
        }
    }

    /** The next event that came again and had arrived before the connection was lost. */
    @Nullable
    Tracked pollArrivedBefore() {
        Tracked event = arrivedBefore.poll();
        if (event != null) {
            arrive(event);
        }
        return event;
    }

    /** All there was has been read again, so that what had arrived before it was read is behind what is read now. */
    void caughtUp() {
        before.caughtUp();
        arrived.forEach(item -> item.deliver(read));
    }

    /** Whether events that were sent before the connection was lost have yet to come again. */
    boolean awaitsReading() {
        return before.awaitsReading();
    }

    /**
     * Of what was read, so many are behind the persisted mark.
     *
     * @param caughtUp whether all there was has been read again; until then what arrived by its row may yet be read
     */
    void written(long number, boolean caughtUp) {
        if (!caughtUp) {
            arrived.removeIf(item -> item.isLive() && item.number() <= number);
        }
        while (caughtUp && !arrived.isEmpty() && arrived.element().arrivedAt() <= number) {
            arrived.remove();
        }
    }

    private void arrive(Tracked event) {
        event.deliver(read);
        arrived.add(event);
    }

    /** Takes an event that has a row and comes before all others. */
    void addFirst(Tracked row) {
        queue.addFirst(row);
    }

    /** To be sent again, when nothing else is to be sent. */
    ReplayLine replays() {
        return replays;
    }

    /** With the last event that was read, everything up to this mark is settled. False if there is none. */
    boolean extendLast(Mark mark) {
        Tracked last = unsettled.peekLast();
        if (last == null) {
            return false;
        }
        last.extendMark(mark);
        return true;
    }

    /** The next event that is done and has none before it that is not. */
    @Nullable
    Tracked pollSettled() {
        Tracked first = unsettled.peek();
        if (first != null && !first.isDone() && !guards.hold(Guard.MARK_WITHOUT_HOLES)) {
            first = unsettled.stream().filter(Tracked::isDone).findFirst().orElse(null);
        }
        if (first == null || !(first.isDone() || isSettledTooEarly(first))) {
            return null;
        }
        unsettled.remove(first);
        bytes -= first.event().bytes();
        return first;
    }

    private boolean isSettledTooEarly(Tracked first) {
        return first.isInFlight() && !guards.hold(Guard.SETTLE_AFTER_ANSWER);
    }

    /** The event has arrived: the next of its key may go. */
    void delivered(Tracked event) {
        if (event.isStranded()) {
            event.deliver(read);
        } else {
            arrive(event);
        }
        if (!subscription.sink().keepsOrder()) {
            Tracked next = turns.next(event);
            while (next != null && next.isSetAside()) {
                next = turns.next(event);
            }
            if (next != null) {
                ready.add(next);
            }
        }
    }

    /** The event has failed and got a row or a dead letter. */
    void setAside(Tracked event) {
        event.setAside();
        endTurn(event);
    }

    /** The event was taken to be sent and was not. */
    void putBack(Tracked event) {
        giveBackTurn(event);
        if (event.isLive()) {
            queue.addFirst(event);
        } else {
            forgetRows(event);
        }
    }

    /** The event has failed and stays what it was. */
    void again(Tracked event) {
        endTurn(event);
        if (!event.isLive()) {
            forgetRows(event);
        } else if (!subscription.sink().keepsOrder()) {
            queue.addFirst(event);
        }
    }

    /** The event leaves the lane's hands, and so do those that were loaded behind it: they must not pass it. */
    private void forgetRows(Tracked event) {
        forgetRow.accept(event);
        String key = event.key();
        if (key != null) {
            List<Tracked> behind = queue.stream()
                    .filter(item -> !item.isLive() && key.equals(item.key()))
                    .toList();
            queue.removeAll(behind);
            behind.forEach(forgetRow);
            if (event.isReplay()) {
                replays.takeBackKey(key);
            }
        }
    }

    /** The event has failed that was sent before the connection was lost: when it comes again, it is sent anew. */
    void failedBefore(Tracked event) {
        before.forget(event);
        endTurn(event);
    }

    /** A sink that keeps the order delivers nothing after a failure. Otherwise it is only the key's turn that ends. */
    private void endTurn(Tracked failed) {
        sent.failed();
        giveBackTurn(failed);
    }

    /** It is not sent now: whoever is behind it waits in the queue again, or leaves the lane's hands. */
    void giveBackTurn(Tracked item) {
        unstall();
        List<Tracked> behind = new ArrayList<>(turns.end(item));
        for (int i = behind.size() - 1; i >= 0; i--) {
            Tracked next = behind.get(i);
            if (next.isLive()) {
                queue.addFirst(next);
            } else {
                forgetRow.accept(next);
            }
        }
    }

    /** Ends the channel. Live events without an answer are sent anew from the first on; rows leave the lane's hands. */
    void rewind() {
        List<Tracked> taken = sent.giveUp();
        taken.stream().filter(item -> !item.isDelivered()).forEach(before::forget);
        Set<Tracked> rows = new LinkedHashSet<>();
        for (Collection<Tracked> some : List.of(taken, ready, queue, turns.all())) {
            some.stream().filter(item -> !item.isLive() && !item.isDone()).forEach(rows::add);
        }
        ready.clear();
        replays.takeBackAll();
        stalled.clear();
        turns.clear();
        queue = new ArrayDeque<>();
        Set<String> failedKeys = new HashSet<>();
        for (Tracked event : unsettled) {
            String key = event.key();
            if (event.isDelivered() && key != null && failedKeys.contains(key) && event.noteOvertaking()) {
                overtaken.accept(event);
            }
            if (!event.isDone()) {
                queue.add(event);
                if (key != null) {
                    failedKeys.add(key);
                }
            }
        }
        rows.forEach(forgetRow);
    }

    /** Hands over whatever may go now, of those that the lane admits, until so many are on their way. */
    void handOver(int concurrency, Predicate<Tracked> admits) {
        unstall();
        while (sent.count() < concurrency) {
            Tracked next = poll(admits);
            if (next == null) {
                break;
            }
            send(next, false);
        }
        handOverReplays(concurrency - concurrency / KEPT_FREE, admits);
        sent.flush();
    }

    /** A part of what the sink takes at a time is kept free of replays: what comes live need not wait for them. */
    private void handOverReplays(int concurrency, Predicate<Tracked> admits) {
        Iterator<Tracked> waiting = replays.iterator();
        while (sent.count() < concurrency) {
            Tracked next = pollReplay(waiting, admits);
            if (next == null) {
                break;
            }
            send(next, false);
        }
    }

    /** The next event that may be sent, which the caller then has to send. */
    @Nullable
    Tracked pollNext(Predicate<Tracked> admits) {
        unstall();
        Tracked next = poll(admits);
        return next == null ? pollReplay(replays.iterator(), admits) : next;
    }

    /** The next whose key has nothing else on its way: a live event need not wait behind more than one of them. */
    private @Nullable Tracked pollReplay(Iterator<Tracked> waiting, Predicate<Tracked> admits) {
        while (waiting.hasNext()) {
            Tracked next = waiting.next();
            if (isItsTurn(next)) {
                if (tokens.lack()) {
                    return null;
                }
                waiting.remove();
                if (admits.test(next) && takesTurn(next)) {
                    return next;
                }
            }
        }
        return null;
    }

    private @Nullable Tracked poll(Predicate<Tracked> admits) {
        Tracked next = pollReady();
        if (next == null) {
            return pollAdmitted(admits);
        }
        if (needsToken(next) && tokens.lack()) {
            ready.addFirst(next);
            return null;
        }
        return next;
    }

    /** The next event whose turn has come; one that was set aside meanwhile passes it on. */
    private @Nullable Tracked pollReady() {
        Tracked next = ready.poll();
        while (next != null && next.isSetAside()) {
            giveBackTurn(next);
            next = ready.poll();
        }
        return next;
    }

    /** An attempt that is counted before it is made has its token from then on. */
    private static boolean needsToken(Tracked item) {
        return !item.isCounted();
    }

    /**
     * Whether an earlier event of its key was sent or waits for its turn; then it is looked at again in the next pass.
     * Held now, it would be in front of that one if that one fails and is held too.
     */
    boolean waitsForEarlier(Tracked item) {
        if (!item.isLive()) {
            return false;
        }
        if (keysOnTheirWay == null) {
            keysOnTheirWay = keysOnTheirWay();
        }
        boolean waits = keysOnTheirWay.contains(item.key());
        if (waits) {
            stalled.add(item);
        }
        return waits;
    }

    private Set<String> keysOnTheirWay() {
        Set<String> keys = new HashSet<>();
        sent.items().forEach(each -> addKey(keys, each));
        ready.forEach(each -> addKey(keys, each));
        turns.all().forEach(each -> addKey(keys, each));
        return keys;
    }

    private static void addKey(Set<String> keys, Tracked item) {
        if (item.isLive() && !item.isDone() && item.key() != null) {
            keys.add(item.key());
        }
    }

    private void unstall() {
        keysOnTheirWay = null;
        while (!stalled.isEmpty()) {
            queue.addFirst(stalled.removeLast());
        }
    }

    /** Whether events of a key go one after the other, and the sink does not see to it by itself. */
    private boolean hasTurns() {
        return subscription.ordering() == Ordering.KEY && !subscription.sink().keepsOrder();
    }

    /** Whether the event may be sent at once; if not, it is remembered behind the others of its key. */
    boolean takesTurn(Tracked item) {
        return !hasTurns() || turns.take(item);
    }

    /** Whatever is not to be sent is sorted out on the way, which takes no tokens. */
    private @Nullable Tracked pollAdmitted(Predicate<Tracked> admits) {
        for (Tracked next = queue.poll(); next != null; next = queue.poll()) {
            boolean goes = !next.isSetAside() && !lacksTokenToCount(next) && admits.test(next);
            if (tokens.areLacking() || (goes && lacksToken(next))) {
                queue.addFirst(next);
                return null;
            }
            if (next.isLive()) {
                high = next.markAfter();
            }
            if (goes && takesTurn(next)) {
                return next;
            }
        }
        return null;
    }

    private boolean lacksTokenToCount(Tracked item) {
        return item.isSuspect() && tokens.lack();
    }

    private boolean lacksToken(Tracked item) {
        return tokens.areLimited() && needsToken(item) && isItsTurn(item) && tokens.lack();
    }

    private boolean isItsTurn(Tracked item) {
        return !hasTurns() || turns.isFree(item);
    }

    /** How many events could go now, as far as their turns say; counts no further than asked. */
    int couldGo(int most) {
        Set<String> keys = new HashSet<>();
        long waiting = Stream.concat(queue.stream(), replays.stream())
                .filter(item -> !item.isSetAside() && (item.key() == null || isNextOfItsKey(item, keys)))
                .limit(Math.max(0, most - ready.size()))
                .count();
        return Math.min(most, ready.size() + (int) waiting);
    }

    private boolean isNextOfItsKey(Tracked item, Set<String> keys) {
        return !hasTurns() || (turns.isFree(item) && keys.add(Objects.requireNonNull(item.key())));
    }

    /** Sends one event by itself. */
    void sendAlone(Tracked event, boolean asProbe) {
        send(event, asProbe);
        sent.flush();
    }

    /** Looks at every live event that is not sent yet, without sending it. */
    void review(Predicate<Tracked> stays) {
        for (Tracked next = ready.pollLast(); next != null; next = ready.pollLast()) {
            again(next);
        }
        queue.removeIf(item -> item.isLive() && !item.isSetAside() && !stays.test(item));
    }

    /** The events that were read and neither delivered nor set aside. */
    List<Tracked> unsent() {
        return unsettled.stream().filter(event -> !event.isDone()).toList();
    }

    /** The events that were not sent, yet stand between the mark and one that was delivered. */
    List<Tracked> unsentBeforeDelivered() {
        List<Tracked> unsent = new ArrayList<>();
        int count = 0;
        for (Tracked event : unsettled) {
            if (event.isDelivered()) {
                count = unsent.size();
            } else if (!event.isDone()) {
                unsent.add(event);
            }
        }
        return unsent.subList(0, count);
    }

    /** The live event of that seq, if it is in the lane's hands. */
    @Nullable
    Tracked find(long seq) {
        return unsettled.stream().filter(item -> item.seq() == seq).findFirst().orElse(null);
    }

    private void send(Tracked event, boolean asProbe) {
        if (needsToken(event)) {
            tokens.spend();
        }
        sent.send(event, asProbe);
    }

    /** How far events were handed over; the mark itself if nothing is on its way. */
    Mark high(Mark mark) {
        return high == null || unsettled.isEmpty() ? mark : high;
    }

    /** In how many nanoseconds something is due here; very long if only an answer can change anything. */
    long nextDueNanos() {
        if (hasUnsent() && !tokens.areAwaited()) {
            return Duration.ofMillis(10).toNanos();
        }
        long overdue = sent.nextOverdueNanos();
        return tokens.areAwaited() ? Math.min(overdue, tokens.nextNanos()) : overdue;
    }

    boolean hasUnsent() {
        return !ready.isEmpty() || !queue.isEmpty() || !stalled.isEmpty() || !replays.isEmpty();
    }

    /** How many live events there are. */
    int size() {
        return unsettled.size();
    }

    boolean isEmpty() {
        return unsettled.isEmpty();
    }

    long bytes() {
        return bytes;
    }
}
