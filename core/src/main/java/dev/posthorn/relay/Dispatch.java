package dev.posthorn.relay;

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
    private final Tokens tokens;
    private final InFlight sent;
    private final Consumer<Tracked> forgetRow;
    private final Consumer<Tracked> overtaken;

    private final Unsettled unsettled;

    /** To be sent, in order; then those whose turn has come; then those that were sent. */
    private final ToSend toSend;

    private final ReplayLine replays;
    private final ArrayDeque<Tracked> ready = new ArrayDeque<>();

    /** What was sent before the connection was lost and has not come again, and what of it came and has arrived. */
    private final SentBefore before;

    private final ArrayDeque<Tracked> arrivedBefore = new ArrayDeque<>();

    /** Delivered, and perhaps not behind the persisted mark. */
    private final ArrayDeque<Tracked> arrived = new ArrayDeque<>();

    private final KeyTurns turns = new KeyTurns();

    /** The keys of live events on their way, as of this pass; null if nobody has asked. */
    private @Nullable Set<String> keysOnTheirWay;

    /** The last event that was handed over, as far as it has not come back. */
    private @Nullable Tracked highest;

    /** Whether an event was handed over and waits to be sent again, so that the highest may not be on its way any more. */
    private boolean cameBack;

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
        this.tokens = tokens;
        this.sent = sent;
        this.before = before;
        this.forgetRow = forgetRow;
        this.overtaken = overtaken;
        this.unsettled = new Unsettled(guards);
        this.toSend = new ToSend(subscription);
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
        Tracked former = before.isEmpty() ? null : before.read(event.event());
        if (former == null) {
            toSend.add(event);
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
            toSend.addRow(row);
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
            raiseHigh(event);
        } else {
            toSend.add(event);
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
        toSend.addFirst(row);
    }

    /** Read and not settled. */
    Unsettled unsettled() {
        return unsettled;
    }

    ToSend toSend() {
        return toSend;
    }

    /** To be sent again, when nothing else is to be sent. */
    ReplayLine replays() {
        return replays;
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
        toSend.setAside(event);
        endTurn(event);
    }

    /** The event was taken to be sent and was not. */
    void putBack(Tracked event) {
        giveBackTurn(event);
        if (event.isLive()) {
            toSend.addFirst(event);
        } else {
            forgetRows(event);
        }
    }

    /** The event has failed and stays what it was. */
    void again(Tracked event) {
        endTurn(event);
        if (!event.isLive()) {
            forgetRows(event);
            return;
        }
        cameBack = true;
        if (!subscription.sink().keepsOrder()) {
            toSend.addFirst(event);
        }
    }

    /** The event leaves the lane's hands, and so do those that were loaded behind it: they must not pass it. */
    private void forgetRows(Tracked event) {
        forgetRow.accept(event);
        String key = event.key();
        if (key != null) {
            toSend.takeRows(key).forEach(forgetRow);
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
                toSend.addFirst(next);
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
        for (Collection<Tracked> some : List.of(taken, ready, toSend.stream().toList(), turns.all())) {
            some.stream().filter(item -> !item.isLive() && !item.isDone()).forEach(rows::add);
        }
        ready.clear();
        replays.takeBackAll();
        turns.clear();
        List<Tracked> again = new ArrayList<>();
        Set<String> failedKeys = new HashSet<>();
        for (Tracked event : unsettled) {
            String key = event.key();
            if (event.isDelivered() && key != null && failedKeys.contains(key) && event.noteOvertaking()) {
                overtaken.accept(event);
            }
            if (!event.isDone()) {
                again.add(event);
                if (key != null) {
                    failedKeys.add(key);
                }
            }
        }
        toSend.replaceBy(again);
        cameBack = true;
        rows.forEach(forgetRow);
    }

    /** Hands over whatever may go now, of those that the lane admits, until so many are on their way. */
    void handOver(int concurrency, Predicate<Tracked> admits) {
        unstall();
        int mostRetries = retriesAtATime(concurrency);
        while (sent.count() < concurrency) {
            Tracked next = poll(admits, sent.mayRetry(mostRetries));
            if (next == null) {
                break;
            }
            send(next, Purpose.DELIVERY);
        }
        handOverReplays(concurrency - concurrency / KEPT_FREE, admits);
        sent.flush();
    }

    /** What has failed gets no more than a part of what the sink takes at a time: it may hang, and others must not wait. */
    static int retriesAtATime(int concurrency) {
        return Math.max(1, concurrency / KEPT_FREE);
    }

    /** Hands over up to so many that were not tried yet, each of another key. Returns how many there were. */
    int handOverUntried(int most, Predicate<Tracked> admits) {
        unstall();
        int count = 0;
        for (Tracked next = most == 0 ? null : poll(admits, false);
                next != null;
                next = ++count < most ? poll(admits, false) : null) {
            send(next, Purpose.TRIAL);
        }
        sent.flush();
        return count;
    }

    /** The event that was tried in vain longest ago, which the caller then has to send. */
    @Nullable
    Tracked pollTried(Predicate<Tracked> admits) {
        Tracked next = tokens.lack() ? null : toSend.pollTried(this::isItsTurn);
        return next != null && admits.test(next) && takesTurn(next) ? next : null;
    }

    /** What waits to be sent again because it failed leaves the lane's hands. */
    void giveBackRetries() {
        toSend.takeRetries().forEach(forgetRow);
    }

    /** A part of what the sink takes at a time is kept free of replays: what comes live need not wait for them. */
    private void handOverReplays(int concurrency, Predicate<Tracked> admits) {
        Iterator<Tracked> waiting = replays.iterator();
        while (sent.count() < concurrency) {
            Tracked next = pollReplay(waiting, admits);
            if (next == null) {
                break;
            }
            send(next, Purpose.DELIVERY);
        }
    }

    /** The next event that may be sent, which the caller then has to send. */
    @Nullable
    Tracked pollNext(Predicate<Tracked> admits) {
        unstall();
        Tracked next = poll(admits, true);
        if (next == null) {
            next = pollTried(admits);
        }
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

    private @Nullable Tracked poll(Predicate<Tracked> admits, boolean retriesToo) {
        Tracked next = pollReady();
        if (next == null) {
            return pollAdmitted(admits, retriesToo);
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
            toSend.stall(item);
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
        toSend.unstall();
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
    private @Nullable Tracked pollAdmitted(Predicate<Tracked> admits, boolean retriesToo) {
        for (Tracked next = toSend.poll(retriesToo); next != null; next = toSend.poll(retriesToo)) {
            boolean goes = !next.isSetAside() && !lacksTokenToCount(next) && admits.test(next);
            if (tokens.areLacking() || (goes && lacksToken(next))) {
                toSend.addFirst(next);
                return null;
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
        long waiting = Stream.concat(toSend.stream(), replays.stream())
                .filter(item -> !item.isSetAside() && (item.key() == null || isNextOfItsKey(item, keys)))
                .limit(Math.max(0, most - ready.size()))
                .count();
        return Math.min(most, ready.size() + (int) waiting);
    }

    private boolean isNextOfItsKey(Tracked item, Set<String> keys) {
        return !hasTurns() || (turns.isFree(item) && keys.add(Objects.requireNonNull(item.key())));
    }

    /** Sends one event by itself. */
    void sendAlone(Tracked event, Purpose why) {
        send(event, why);
        sent.flush();
    }

    /** Looks at every live event that is not sent yet, without sending it. */
    void review(Predicate<Tracked> stays) {
        for (Tracked next = ready.pollLast(); next != null; next = ready.pollLast()) {
            again(next);
        }
        toSend.removeIf(item -> item.isLive() && !item.isSetAside() && !stays.test(item));
    }

    private void send(Tracked event, Purpose why) {
        if (needsToken(event)) {
            tokens.spend();
        }
        toSend.sent(event);
        raiseHigh(event);
        sent.send(event, why);
    }

    private void raiseHigh(Tracked event) {
        if (event.isLive() && (highest == null || event.number() > highest.number())) {
            highest = event;
        }
    }

    /** How far events were handed over and have not come back; the mark itself if none is on its way. */
    Mark high(Mark mark) {
        if (cameBack) {
            highest = unsettled.lastHandedOver();
            cameBack = false;
        }
        return highest == null || unsettled.isEmpty() ? mark : highest.markAfter();
    }

    /** In how many nanoseconds something is due here; very long if only an answer can change anything. */
    long nextDueNanos() {
        if (hasUntried() && !tokens.areAwaited()) {
            return Duration.ofMillis(10).toNanos();
        }
        long overdue = sent.nextOverdueNanos();
        return tokens.areAwaited() ? Math.min(overdue, tokens.nextNanos()) : overdue;
    }

    boolean hasUnsent() {
        return !toSend.isEmpty() || hasUntried();
    }

    private boolean hasUntried() {
        return !ready.isEmpty() || toSend.hasUntried() || !replays.isEmpty();
    }
}
