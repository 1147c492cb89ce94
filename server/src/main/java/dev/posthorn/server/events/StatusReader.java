package dev.posthorn.server.events;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Queries;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.subscriptions.ApplicationSubscriptions;
import dev.posthorn.server.subscriptions.ServedBy;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
import dev.posthorn.status.Gauges;
import dev.posthorn.status.LaneState;
import dev.posthorn.status.Lanes;
import dev.posthorn.status.LogEnd;
import dev.posthorn.status.ServingInstance;
import dev.posthorn.status.SubscriptionGauges;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Finds out how everything is doing, twice a second at most for each page of it, however many ask. */
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
    private final Map<Asked, Read> last = new LinkedHashMap<>();

    StatusReader(Database database) {
        this.database = database;
        this.queries = new Queries(database.looks(), database.schema());
        this.gauges = new Gauges(database.looks(), database.schema());
        this.lanes = new Lanes(database.looks(), database.schema());
    }

    /** Which subscriptions: so many of those whose names come after that one. */
    record Asked(String after, int limit) {}

    private record Read(HubStatus status, long at) {

        boolean isFresh() {
            return System.nanoTime() - at <= FRESH.toNanos();
        }
    }

    /** One reads, the others wait for what it finds, also if that is that the database is away. */
    synchronized HubStatus status(Asked asked) {
        last.values().removeIf(read -> !read.isFresh());
        Read read = last.get(asked);
        if (read == null) {
            read = new Read(read(asked), System.nanoTime());
            last.put(asked, read);
        }
        return read.status();
    }

    private HubStatus read(Asked asked) {
        if (!database.isReady()) {
            return away();
        }
        try {
            return there(asked);
        } catch (PosthornException e) {
            log.debug("Could not read the status", e);
            return away();
        }
    }

    private static HubStatus away() {
        return new HubStatus(VERSION, new HubStatus.DatabaseState(false), null, null, null, null);
    }

    private HubStatus there(Asked asked) {
        Page<SubscriptionGauges> page = Page.of(
                gauges.page(asked.after(), asked.limit() + 1),
                asked.limit(),
                each -> PageToken.of(each.subscription()));
        List<String> names =
                page.items().stream().map(SubscriptionGauges::subscription).toList();
        LogEnd end = lanes.logEnd();
        return new HubStatus(
                VERSION,
                new HubStatus.DatabaseState(true),
                lanes.instances(),
                new HubStatus.LogState(end.newestSeq(), end.newestAt()),
                states(page.items(), names),
                page.next());
    }

    private List<HubStatus.SubscriptionState> states(List<SubscriptionGauges> all, List<String> names) {
        Set<String> theirs = ApplicationSubscriptions.among(queries, names);
        Map<String, List<String>> serving = lanes.serving(names).stream()
                .collect(groupingBy(
                        ServingInstance::subscription, mapping(ServingInstance::instance, Collectors.toList())));
        Map<String, List<LaneState>> states = lanes.of(names).stream().collect(groupingBy(LaneState::subscription));
        return all.stream()
                .map(each -> HubStatus.SubscriptionState.of(
                        each,
                        theirs.contains(each.subscription()) ? ServedBy.APPLICATION : null,
                        serving.getOrDefault(each.subscription(), List.of()),
                        states.getOrDefault(each.subscription(), List.of())))
                .toList();
    }
}
