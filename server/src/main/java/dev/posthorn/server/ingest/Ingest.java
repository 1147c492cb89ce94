package dev.posthorn.server.ingest;

import dev.posthorn.Outbox;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.inbox.Arrival;
import dev.posthorn.inbox.Claim;
import dev.posthorn.inbox.ClaimedEvent;
import dev.posthorn.inbox.Inbox;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.metrics.IngestMetrics;
import dev.posthorn.server.metrics.IngestMetrics.Outcome;
import dev.posthorn.server.metrics.IngestMetrics.Protocol;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.types.EventTypes;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Records events that came over the network: all of a call in one transaction, or none. An event that comes again is
 * known by its source and id, through the hub's own inbox.
 */
public final class Ingest {

    private static final int MOST_VIOLATIONS = 20;

    private final Database database;
    private final Log log;
    private final EventTypes types;
    private final Sources sources;
    private final Conflicts conflicts;
    private final IngestMetrics metrics;

    /**
     * Where events go.
     *
     * @param wake called after a commit that left something to deliver
     */
    public record Log(Outbox outbox, Inbox inbox, Runnable wake) {}

    public Ingest(
            Database database, Log log, EventTypes types, Sources sources, Conflicts conflicts, IngestMetrics metrics) {
        this.database = database;
        this.log = log;
        this.types = types;
        this.sources = sources;
        this.conflicts = conflicts;
        this.metrics = metrics;
    }

    /** Records them in the order given, and tells of each, in that order, whether it was there before. */
    public List<Recorded> record(List<Event> events, Caller caller, Protocol protocol) {
        database.requireReady();
        try {
            caller.requireMayPublish(events);
            conflicts.require(caller, events);
            List<Recorded> recorded = record(events, caller);
            int duplicates = (int) recorded.stream().filter(Recorded::duplicate).count();
            metrics.count(protocol, Outcome.DUPLICATE, duplicates);
            metrics.count(protocol, Outcome.RECORDED, recorded.size() - duplicates);
            return recorded;
        } catch (ProblemException e) {
            refused(e.problem(), protocol);
            throw e;
        } catch (RuntimeException e) {
            metrics.count(protocol, Outcome.UNAVAILABLE, events.size());
            throw e;
        }
    }

    /**
     * Counts those at fault, also of a call that has to be refused before there are events to record. The others of a batch
     * break no rule, and a stream records them in another call.
     */
    public void refused(Problem problem, Protocol protocol) {
        metrics.count(protocol, Outcome.REFUSED, atFault(problem));
    }

    /** Where nobody can say which it is, the call counts as one. */
    private static int atFault(Problem problem) {
        return (int) Math.max(
                1, problem.violations().stream().map(Violation::item).distinct().count());
    }

    private List<Recorded> record(List<Event> events, Caller caller) {
        Digest digest = new Digest();
        List<Arrival> arrivals = events.stream()
                .map(event -> new Arrival(event, digest.of(event)))
                .toList();
        check(events, arrivals, caller);
        List<Recorded> recorded = inTransaction(events, arrivals, caller);
        if (recorded.stream().anyMatch(each -> !each.duplicate())) {
            log.wake().run();
        }
        return recorded;
    }

    /** What was recorded before kept the rules of its time: whatever its type says now, it is a duplicate. */
    private void check(List<Event> events, List<Arrival> arrivals, Caller caller) {
        try {
            types.check(events, Set.of());
        } catch (ProblemException refused) {
            List<ClaimedEvent> claimed = lookUp(arrivals);
            Set<Integer> duplicates = places(claimed, Claim.DUPLICATE);
            conflicts.count(caller, conflicting(events, claimed));
            if (duplicates.isEmpty()) {
                throw refused;
            }
            types.check(events, duplicates);
        }
    }

    private static Set<Integer> places(List<ClaimedEvent> claimed, Claim wanted) {
        return IntStream.range(0, claimed.size())
                .filter(i -> claimed.get(i).claim() == wanted)
                .boxed()
                .collect(Collectors.toSet());
    }

    private static List<Event> conflicting(List<Event> events, List<ClaimedEvent> claimed) {
        return places(claimed, Claim.CONFLICT).stream().map(events::get).toList();
    }

    private List<ClaimedEvent> lookUp(List<Arrival> arrivals) {
        try (Connection connection = database.calls().getConnection()) {
            return log.inbox().lookUpIngest(connection, arrivals);
        } catch (SQLException e) {
            throw PosthornException.database("looking for events that are known", e);
        }
    }

    private List<Recorded> inTransaction(List<Event> events, List<Arrival> arrivals, Caller caller) {
        try (Connection connection = database.calls().getConnection()) {
            connection.setAutoCommit(false);
            try {
                Set<String> newSources = sources.unknown(events);
                sources.add(connection, newSources);
                List<Recorded> recorded = record(connection, events, arrivals, caller);
                connection.commit();
                sources.added(newSources);
                return recorded;
            } catch (SQLException | RuntimeException e) {
                connection.rollback();
                throw e;
            }
        } catch (SQLException e) {
            throw PosthornException.database("recording events", e);
        }
    }

    private List<Recorded> record(Connection connection, List<Event> events, List<Arrival> arrivals, Caller caller) {
        List<ClaimedEvent> claimed = log.inbox().claimIngest(connection, arrivals);
        refuseConflicts(events, claimed, caller);
        List<Event> fresh = new ArrayList<>(events.size());
        List<Recorded> recorded = new ArrayList<>(events.size());
        for (ClaimedEvent each : claimed) {
            boolean duplicate = each.claim() == Claim.DUPLICATE;
            recorded.add(new Recorded(each.event(), duplicate));
            if (!duplicate) {
                fresh.add(each.event());
            }
        }
        log.outbox().record(connection, fresh);
        return recorded;
    }

    /** Counted by the ids that were sent, by which the next call is refused before anything is claimed. */
    private void refuseConflicts(List<Event> events, List<ClaimedEvent> claimed, Caller caller) {
        List<Event> conflicting = conflicting(events, claimed);
        if (conflicting.isEmpty()) {
            return;
        }
        conflicts.count(caller, conflicting);
        Set<UUID> guessed = guessed(conflicting, events, claimed);
        throw Problem.violated(
                        ProblemType.CONFLICT,
                        IntStream.range(0, events.size())
                                .filter(i -> claimed.get(i).claim() == Claim.CONFLICT
                                        || guessed.contains(events.get(i).id()))
                                .limit(MOST_VIOLATIONS)
                                .mapToObj(i -> conflict(events, i))
                                .toList())
                .asException();
    }

    /**
     * The ids that a call tries with more contents than somebody does who has made a mistake. All of these are refused: which
     * of them was the right one would otherwise be told by leaving it out. Not of an id that is new with this call.
     */
    private static Set<UUID> guessed(List<Event> conflicting, List<Event> events, List<ClaimedEvent> claimed) {
        Set<UUID> guessed =
                conflicting.stream()
                        .collect(Collectors.groupingBy(Event::id, Collectors.counting()))
                        .entrySet()
                        .stream()
                        .filter(each -> each.getValue() > Conflicts.FREE)
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toSet());
        places(claimed, Claim.FRESH)
                .forEach(place -> guessed.remove(events.get(place).id()));
        return guessed;
    }

    private static Violation conflict(List<Event> events, int item) {
        Violation violation = Violation.of(
                "id",
                "'" + events.get(item).givenId()
                        + "' was published before with another content; give an event that is new an id of its own");
        return events.size() == 1 ? violation : violation.ofItem(item);
    }
}
