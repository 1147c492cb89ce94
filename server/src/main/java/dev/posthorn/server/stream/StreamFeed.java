package dev.posthorn.server.stream;

import dev.posthorn.replay.Replay;
import dev.posthorn.replay.ReplayQuery;
import dev.posthorn.replay.Replays;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.overview.Board;
import dev.posthorn.server.overview.Overviews;
import dev.posthorn.server.periodic.PeriodicTask;
import dev.posthorn.server.replay.ReplayAnswer;
import dev.posthorn.server.stream.StreamMessages.DeadLettersChanged;
import dev.posthorn.server.stream.StreamMessages.SubscriptionsChanged;
import dev.posthorn.status.RecentEvents;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks once a second what has happened, if anybody watches, once for all who do. */
final class StreamFeed extends PeriodicTask {

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final long HEARTBEAT_NANOS = Duration.ofSeconds(10).toNanos();

    /** After the database. */
    private static final int PHASE = 1;

    private static final int MOST_EVENTS = 200;
    private static final int MOST_REPLAYS = 20;
    private static final int MOST_NAMES = 100;

    private final Database database;
    private final Listeners listeners;
    private final Overviews overviews;
    private final RecentEvents events;
    private final Replays replays;
    private final Set<String> changed = new HashSet<>();
    private boolean anyChanged;
    private long heartbeatAt = System.nanoTime();
    private @Nullable String place;
    private @Nullable Map<Long, Replay> knownReplays;
    private Board.@Nullable Read knownRead;

    StreamFeed(Database database, Listeners listeners, Overviews overviews) {
        super("posthorn-stream", INTERVAL, PHASE);
        this.database = database;
        this.listeners = listeners;
        this.overviews = overviews;
        this.events = new RecentEvents(database.looks(), database.schema());
        this.replays = new Replays(database.looks(), database.schema(), () -> {});
    }

    /** These subscriptions were changed; none: any may have been. */
    synchronized void changed(Set<String> names) {
        changed.addAll(names);
        anyChanged |= names.isEmpty();
    }

    @Override
    protected void runOnce() {
        if (System.nanoTime() - heartbeatAt >= HEARTBEAT_NANOS) {
            heartbeatAt = System.nanoTime();
            listeners.heartbeat();
        }
        if (database.isReady()) {
            look();
        }
    }

    /** Looks now. */
    synchronized void look() {
        lookAtFigures();
        lookAtSubscriptions();
        lookAtReplays();
        lookAtEvents();
    }

    private void lookAtEvents() {
        if (!listeners.anyWatches(Topic.EVENTS)) {
            place = null;
            return;
        }
        RecentEvents.News news = events.since(place, MOST_EVENTS);
        place = news.place();
        if (!news.events().isEmpty()) {
            listeners.tell(Message.recorded(news));
        }
    }

    private void lookAtReplays() {
        if (!listeners.anyWatches(Topic.REPLAYS)) {
            knownReplays = null;
            return;
        }
        Map<Long, Replay> before = knownReplays;
        Map<Long, Replay> now = new HashMap<>();
        replays.find(ReplayQuery.builder().pageSize(MOST_REPLAYS).build())
                .replays()
                .forEach(each -> now.put(each.id(), each));
        knownReplays = now;
        if (before != null) {
            now.values().stream()
                    .filter(each -> !each.equals(before.get(each.id())))
                    .forEach(each -> listeners.tell(Message.of(Topic.REPLAYS, "replay", ReplayAnswer.of(each))));
        }
    }

    private void lookAtSubscriptions() {
        if (anyChanged || !changed.isEmpty()) {
            if (listeners.anyWatches(Topic.SUBSCRIPTIONS)) {
                tellChanged(changed, anyChanged);
            }
            changed.clear();
            anyChanged = false;
        }
    }

    private void tellChanged(Collection<String> names, boolean others) {
        List<String> told = names.stream().sorted().limit(MOST_NAMES).toList();
        boolean more = others || names.size() > MOST_NAMES;
        listeners.tell(Message.of(Topic.SUBSCRIPTIONS, "subscriptions", new SubscriptionsChanged(told, more)));
    }

    private void lookAtFigures() {
        boolean isWatched = listeners.anyWatches(Topic.OVERVIEW)
                || listeners.anyWatches(Topic.SUBSCRIPTIONS)
                || listeners.anyWatches(Topic.DEAD_LETTERS);
        Board.Read read = isWatched ? overviews.lastRead() : null;
        Board.Read before = knownRead;
        knownRead = read;
        if (read == null || read.equals(before)) {
            return;
        }
        listeners.tell(Message.of(Topic.OVERVIEW, "overview", overviews.tick()));
        if (before != null) {
            Differences differences = Differences.between(before, read);
            if (!differences.signs().isEmpty()) {
                tellChanged(differences.signs(), false);
            }
            if (!differences.deadLetters().isEmpty()) {
                List<String> told =
                        differences.deadLetters().stream().limit(MOST_NAMES).toList();
                listeners.tell(Message.of(
                        Topic.DEAD_LETTERS,
                        "dead-letters",
                        new DeadLettersChanged(
                                differences.allDeadLetters(),
                                told,
                                differences.deadLetters().size() > MOST_NAMES)));
            }
        }
    }
}
