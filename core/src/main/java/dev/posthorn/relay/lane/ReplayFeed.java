package dev.posthorn.relay.lane;

import static java.util.stream.Collectors.toSet;

import dev.posthorn.relay.budget.Allowance;
import dev.posthorn.relay.budget.InFlightPlaces;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.OwnedReplayItem;
import dev.posthorn.relay.store.ReplayOrder;
import dev.posthorn.relay.store.Replayed;
import dev.posthorn.relay.store.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Hands a lane what replays want to be sent again, each at its pace; {@link Sender} sees to it that everything else
 * goes first. An item is in nobody's way: it has no row, and its key goes on beside it. What becomes of it is settled like
 * everything else, so whoever owns the lane next finds what is left.
 */
final class ReplayFeed {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    /** How many items are loaded at a time, and how many may wait to be sent. */
    private static final int PAGE = 500;

    /** How long after it was paused or cancelled a replay sends nothing more. */
    private static final long LOOK = Duration.ofMillis(200).toNanos();

    /** For room, or for what has to be written first. */
    private static final long WAIT = Duration.ofMillis(50).toNanos();

    private static final long LEAST_WAIT = Duration.ofMillis(10).toNanos();
    private static final long LONGEST_WAIT = Duration.ofMillis(200).toNanos();

    /** As the subscription's own: see {@link Allowance}. */
    private static final double GATHERED_SECONDS = 0.2;

    private static final double PORTIONS_PER_SECOND = 10;

    /** A replay, and what the lane has of it. */
    private static final class Share {

        private ReplayOrder order;
        private boolean running = true;
        private int limit;
        private long after;
        private boolean exhausted;
        private boolean through;

        /** Whether to begin anew with the first item, once what became of the others is written. */
        private boolean toRewind = true;

        private long askAt;

        /** Not in the lane's hands yet. */
        private final ArrayDeque<OwnedReplayItem> atHand = new ArrayDeque<>(1);

        /** The keys of items that are on their way otherwise. When one of those has ended, the share begins anew. */
        private final Set<String> waiting = new HashSet<>();

        /** Given to be sent, and without an outcome yet. */
        private final Set<Long> out = new HashSet<>();

        Share(ReplayOrder order) {
            this.order = order;
        }

        /** One that is on its way by a row, or for a replay that was cancelled, is waited for, and so are those behind it. */
        void take(OwnedReplayItem item, DeliveryRow row, boolean elsewhere) {
            String key = row.event().event().key();
            if (item.hasRow() || elsewhere) {
                if (key != null) {
                    waiting.add(key);
                }
            } else if (key == null || !waiting.contains(key)) {
                atHand.add(item);
            }
        }

        void become(ReplayOrder now, int most) {
            toRewind |= !running || now.trying() != order.trying();
            running = true;
            order = now;
            limit = most;
        }
    }

    private final LaneGrant grant;
    private final LaneStore store;
    private final InFlightPlaces places;
    private final Backlog backlog;
    private final Dispatch dispatch;
    private final Troubles troubles;
    private final RowsInHand rows;
    private final Progress progress;
    private final Ticker ticker;
    private final Map<Long, Share> shares = new LinkedHashMap<>();
    private boolean expected;
    private long lookAt;

    ReplayFeed(LaneGrant grant, LanePorts ports, LaneParts parts) {
        this.grant = grant;
        this.store = ports.store();
        this.places = parts.hold().places();
        this.backlog = parts.backlog();
        this.dispatch = parts.dispatch();
        this.troubles = parts.troubles();
        this.rows = parts.rows();
        this.progress = parts.progress();
        this.ticker = ports.ticker();
        this.lookAt = ticker.nanos();
    }

    /** Whether a replay runs, as the agenda says. */
    void expect(boolean replays) {
        expected |= replays;
    }

    /** Whether one may have something for the lane. */
    boolean isExpected() {
        return expected;
    }

    /** One may have begun, or been told something. */
    void lookAtOnce() {
        lookAt = ticker.nanos();
    }

    /** Gives the lane up to so many. */
    void feed(int most) {
        loadPutDownAnew();
        if (!expected) {
            return;
        }
        if (lookAt - ticker.nanos() <= 0) {
            look();
        }
        for (Share share : shares.values()) {
            if (share.running) {
                load(share);
                hand(share, most);
                lookWhenThrough(share);
            }
        }
    }

    /** Whoever waits for the end of a replay need not wait for the next look. */
    private void lookWhenThrough(Share share) {
        boolean nothingLeft = share.exhausted && !share.toRewind && share.atHand.isEmpty() && share.out.isEmpty();
        if (!nothingLeft) {
            share.through = false;
        } else if (!share.through && progress.areRowsTrue()) {
            share.through = true;
            lookAt = ticker.nanos();
        }
    }

    private void look() {
        long began = ticker.nanos();
        List<ReplayOrder> running = store.replays();
        Set<Long> ids = running.stream().map(ReplayOrder::id).collect(toSet());
        shares.values().stream()
                .filter(share -> !ids.contains(share.order.id()))
                .forEach(this::stop);
        // What is on its way gets its outcome all the same.
        shares.values().removeIf(share -> !share.running && share.out.isEmpty());
        for (ReplayOrder order : running) {
            int limit = limit(order);
            shares.computeIfAbsent(order.id(), id -> new Share(order)).become(order, limit);
        }
        expected = !shares.isEmpty();
        lookAt = began + LOOK;
    }

    private void stop(Share share) {
        share.running = false;
        share.atHand.clear();
        backlog.replays().takeReplay(share.order.id()).forEach(rows::putDown);
        loadPutDownAnew();
    }

    /** What it has given and was not sent leaves the lane's hands. */
    void takeBack() {
        backlog.replays().takeAll().forEach(rows::putDown);
        loadPutDownAnew();
    }

    /** Items that left the lane's hands without an outcome are to be loaded again. */
    private void loadPutDownAnew() {
        rows.takeItemsPutDown().forEach(this::forgotten);
    }

    /** The lane's share of what may be in flight. With fewer than lanes, the first lanes that have items go first. */
    private int limit(ReplayOrder order) {
        int lanes = grant.scope().lanes();
        int most = order.maxInFlight();
        if (most == ReplayOrder.ANY_NUMBER) {
            return most;
        }
        if (most < lanes) {
            return store.lanesBefore(order) < most ? 1 : 0;
        }
        return most / lanes + (grant.scope().index() < most % lanes ? 1 : 0);
    }

    private void load(Share share) {
        if (share.toRewind && progress.areRowsTrue()) {
            share.exhausted = false;
            share.after = 0;
            share.atHand.clear();
            share.waiting.clear();
        } else if (share.toRewind) {
            return;
        }
        if (share.exhausted || !share.atHand.isEmpty() || share.limit == 0) {
            return;
        }
        List<OwnedReplayItem> items = store.replayItems(share.order, share.after, PAGE);
        // Not before they are there: until the next attempt more may end, and the rows no longer be true.
        share.toRewind = false;
        share.exhausted = items.size() < PAGE;
        for (OwnedReplayItem item : items) {
            share.after = item.seq();
            DeliveryRow row = item.row();
            if (row == null) {
                troubles.skip(share.order, item);
            } else if (!share.out.contains(item.seq())) {
                share.take(item, row, rows.isLoaded(item.seq()));
            }
        }
    }

    private void hand(Share share, int most) {
        if (share.toRewind) {
            // What is loaded again may be of the same key as what is at hand, and come before it.
            return;
        }
        int room = Math.min(most, PAGE - backlog.replays().size());
        int wanted = Math.min(Math.min(share.atHand.size(), room), share.limit - share.out.size());
        int taken = wanted > 0 ? places.take(wanted) : 0;
        int used = 0;
        try {
            int allowed = share.order.isPaced() && taken > 0 ? lease(share, taken) : taken;
            for (; used < allowed; used++) {
                hand(share, Objects.requireNonNull(share.atHand.remove().row()));
            }
        } finally {
            places.giveBack(taken - used);
        }
    }

    private void hand(Share share, DeliveryRow row) {
        share.out.add(row.seq());
        dispatch.addReplay(rows.load(row));
    }

    private int lease(Share share, int wanted) {
        long now = ticker.nanos();
        if (share.askAt - now > 0) {
            return 0;
        }
        double rate = share.order.ratePerSecond();
        int portion = (int) Math.ceil(rate / PORTIONS_PER_SECOND);
        LaneStore.Granted granted =
                store.leaseTokens(share.order, 1 + rate * GATHERED_SECONDS, Math.min(wanted, portion));
        long untilNext = (long) (Math.max(0, 1 - granted.left()) / rate * SECOND);
        share.askAt = now + Math.max(LEAST_WAIT, Math.min(LONGEST_WAIT, untilNext));
        return granted.tokens();
    }

    /** The item has an outcome. */
    void finished(LaneEvent item) {
        left(item);
    }

    private void forgotten(LaneEvent item) {
        Share share = left(item);
        if (share != null) {
            share.toRewind = true;
        }
    }

    /** The share whose item it was. An event that was on its way otherwise may be what others wait for. */
    private @Nullable Share left(LaneEvent item) {
        Share found = shareOf(item);
        Share share = found != null && found.out.remove(item.seq()) ? found : null;
        if (item.isReplay() && (share == null || !share.running)) {
            shares.values().forEach(other -> other.toRewind = true);
        }
        return share;
    }

    private @Nullable Share shareOf(LaneEvent item) {
        Replayed replay = item.replay();
        return replay == null ? null : shares.get(replay.replayId());
    }

    /** In how many nanoseconds something is due here. */
    long nextDueNanos() {
        loadPutDownAnew();
        if (!expected) {
            return Long.MAX_VALUE;
        }
        long now = ticker.nanos();
        long next = lookAt - now;
        for (Share share : shares.values()) {
            boolean waits = share.running && !share.atHand.isEmpty() && share.out.size() < share.limit;
            if (waits && !share.toRewind && share.order.isPaced()) {
                next = Math.min(next, Math.max(LEAST_WAIT, share.askAt - now));
            } else if (waits || (share.running && share.toRewind)) {
                next = Math.min(next, WAIT);
            }
        }
        return next;
    }
}
