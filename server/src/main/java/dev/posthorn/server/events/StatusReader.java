package dev.posthorn.server.events;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Queries;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.subscriptions.ApplicationSubscriptions;
import dev.posthorn.server.subscriptions.ServedBy;
import dev.posthorn.status.Gauges;
import dev.posthorn.status.LaneState;
import dev.posthorn.status.Lanes;
import dev.posthorn.status.LogEnd;
import dev.posthorn.status.ServingInstance;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Finds out how everything is doing, twice a second at most, however many ask. */
@Component
class StatusReader {

    private static final Logger log = LoggerFactory.getLogger(StatusReader.class);

    private static final Duration FRESH = Duration.ofMillis(500);

    private static final String VERSION =
            Objects.requireNonNullElse(StatusReader.class.getPackage().getImplementationVersion(), "development");

    private final Database database;
    private final Gauges gauges;
    private final Lanes lanes;
    private final Queries queries;
    private @Nullable HubStatus last;
    private long readAt;

    StatusReader(Database database) {
        this.database = database;
        this.queries = new Queries(database.looks(), database.schema());
        this.gauges = new Gauges(database.looks(), database.schema());
        this.lanes = new Lanes(database.looks(), database.schema());
    }

    /** One reads, the others wait for what it finds, also if that is that the database is away. */
    synchronized HubStatus status() {
        HubStatus status = last;
        if (status == null || System.nanoTime() - readAt > FRESH.toNanos()) {
            status = read();
            last = status;
            readAt = System.nanoTime();
        }
        return status;
    }

    private HubStatus read() {
        if (!database.isReady()) {
            return away();
        }
        try {
            return there();
        } catch (PosthornException e) {
            log.debug("Could not read the status", e);
            return away();
        }
    }

    private static HubStatus away() {
        return new HubStatus(VERSION, new HubStatus.DatabaseState(false), null, null, null);
    }

    private HubStatus there() {
        List<ServingInstance> serving = lanes.instances();
        List<LaneState> states = lanes.all();
        LogEnd end = lanes.logEnd();
        List<String> theirs = ApplicationSubscriptions.names(queries);
        return new HubStatus(
                VERSION,
                new HubStatus.DatabaseState(true),
                serving.stream()
                        .map(ServingInstance::instance)
                        .distinct()
                        .sorted()
                        .toList(),
                new HubStatus.LogState(end.newestSeq(), end.newestAt()),
                gauges.all().stream()
                        .map(each -> HubStatus.SubscriptionState.of(
                                each,
                                theirs.contains(each.subscription()) ? ServedBy.APPLICATION : null,
                                of(serving, each.subscription()),
                                lanesOf(states, each.subscription())))
                        .toList());
    }

    private static List<String> of(List<ServingInstance> serving, String subscription) {
        return serving.stream()
                .filter(each -> each.subscription().equals(subscription))
                .map(ServingInstance::instance)
                .toList();
    }

    private static List<LaneState> lanesOf(List<LaneState> lanes, String subscription) {
        return lanes.stream()
                .filter(lane -> lane.subscription().equals(subscription))
                .toList();
    }
}
