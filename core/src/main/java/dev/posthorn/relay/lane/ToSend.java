package dev.posthorn.relay.lane;

import dev.posthorn.subscription.Ordering;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a lane has in its hands to be sent, in order. What is sent again because it failed waits by itself, so that it can
 * be kept from taking all places at the sink; and so does what was just tried in vain, while others are tried first.
 */
final class ToSend {

    /** Where only so many go a second, what has failed takes no more than its part of them, if others wait. */
    private static final int OTHERS_BETWEEN = 3;

    /** Live events, and rows that have not failed. */
    private final ArrayDeque<LaneEvent> queue = new ArrayDeque<>(1);

    private final ArrayDeque<LaneEvent> retries = new ArrayDeque<>(1);

    /** Not to be held while an earlier event of their key may fail and be held itself. */
    private final ArrayDeque<LaneEvent> stalled = new ArrayDeque<>(1);

    private final Tried tried;

    /** How many others were sent since one that had failed. */
    private int sentSinceRetry = OTHERS_BETWEEN;

    /** Whether what was tried in vain stands aside. */
    private boolean trying;

    ToSend(Subscription subscription) {
        this.tried = new Tried(subscription.ordering() == Ordering.KEY);
    }

    void add(LaneEvent event) {
        queue.add(event);
    }

    void addRow(LaneEvent row) {
        line(row).add(row);
    }

    /** Takes one that comes before all others of its kind; but what was tried in vain stands aside. */
    void addFirst(LaneEvent item) {
        if (!standsAside(item)) {
            line(item).addFirst(item);
        }
    }

    private boolean standsAside(LaneEvent item) {
        return trying && item.isLive() && !item.isSetAside() && tried.takes(item);
    }

    private ArrayDeque<LaneEvent> line(LaneEvent item) {
        return item.isRetry() ? retries : queue;
    }

    void stall(LaneEvent item) {
        stalled.add(item);
    }

    void unstall() {
        while (!stalled.isEmpty()) {
            queue.addFirst(stalled.removeLast());
        }
    }

    /** From now on what was tried in vain stands aside, or goes like everything else. */
    void trying(boolean now) {
        if (trying && !now) {
            List<LaneEvent> events = tried.takeAll();
            take(LaneEvent::isLive).forEach(events::add);
            events.sort(Comparator.comparingLong(LaneEvent::number));
            queue.addAll(events);
        }
        trying = now;
    }

    /** The next one; of those that have failed only if they may go as well. What was counted comes before all. */
    @Nullable
    LaneEvent poll(boolean retriesToo) {
        LaneEvent first = queue.peek();
        boolean isTurnOfRetries = sentSinceRetry >= OTHERS_BETWEEN && (first == null || !first.isCounted());
        LaneEvent retry = retriesToo && isTurnOfRetries ? retries.poll() : null;
        LaneEvent next = retry == null ? pollQueue() : retry;
        return next == null && retriesToo ? retries.poll() : next;
    }

    /** It is on its way. */
    void sent(LaneEvent item) {
        boolean hadFailed = item.isCounted() ? !item.isFresh() : item.isRetry();
        sentSinceRetry = hadFailed ? 0 : sentSinceRetry + 1;
    }

    private @Nullable LaneEvent pollQueue() {
        LaneEvent next = queue.poll();
        while (next != null && standsAside(next)) {
            next = queue.poll();
        }
        return next;
    }

    /** The live event that was tried longest ago, if there is one. */
    @Nullable
    LaneEvent pollTried(KeyTurns turns) {
        return tried.pollOldest(turns);
    }

    /** Up to so many of those that were tried; those behind them are looked at again. */
    List<LaneEvent> takeTried(int most) {
        List<LaneEvent> behind = new ArrayList<>();
        List<LaneEvent> heads = tried.takeHeads(most, behind);
        addAllFirst(behind);
        return heads;
    }

    /** The event has a row or a dead letter: those behind it are looked at again. */
    void setAside(LaneEvent event) {
        if (event.isLive()) {
            addAllFirst(tried.takeAll(event));
        }
    }

    private void addAllFirst(List<LaneEvent> items) {
        for (int i = items.size() - 1; i >= 0; i--) {
            queue.addFirst(items.get(i));
        }
    }

    /** Takes out the rows of a key. */
    List<LaneEvent> takeRows(String key) {
        return take(item -> !item.isLive() && key.equals(item.key()));
    }

    /** Takes out all that are sent again because they failed. */
    List<LaneEvent> takeRetries() {
        List<LaneEvent> all = List.copyOf(retries);
        retries.clear();
        return all;
    }

    private List<LaneEvent> take(Predicate<LaneEvent> which) {
        List<LaneEvent> taken = stream().filter(which).toList();
        queue.removeIf(which);
        retries.removeIf(which);
        return taken;
    }

    /** Without what stands aside. */
    Stream<LaneEvent> stream() {
        return Stream.concat(retries.stream(), queue.stream());
    }

    int retries() {
        return retries.size();
    }

    /** All live events, those that stand aside too. */
    List<LaneEvent> live() {
        return Stream.concat(queue.stream(), tried.stream())
                .filter(item -> item.isLive() && !item.isSetAside())
                .toList();
    }

    void removeAll(Set<LaneEvent> some) {
        queue.removeIf(some::contains);
        tried.removeAll(some);
    }

    /** These and no others. */
    void replaceBy(Collection<LaneEvent> events) {
        queue.clear();
        retries.clear();
        stalled.clear();
        tried.takeAll();
        queue.addAll(events);
    }

    boolean isEmpty() {
        return !hasUntried() && tried.isEmpty();
    }

    /** Whether any stands aside. */
    boolean hasTried() {
        return !tried.isEmpty();
    }

    /** How many are neither sent again because they failed, nor were just tried in vain. */
    int untried() {
        return queue.size() + stalled.size();
    }

    /** Whether there is anything but what was just tried in vain. */
    boolean hasUntried() {
        return !queue.isEmpty() || !retries.isEmpty() || !stalled.isEmpty();
    }
}
