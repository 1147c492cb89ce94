package dev.posthorn.server.ingest;

import dev.posthorn.Outbox;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.inbox.Claim;
import dev.posthorn.inbox.Inbox;
import dev.posthorn.inbox.InboxEntry;
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
 * known by its id, through the hub's own inbox.
 */
public final class Ingest {

    private static final int MOST_VIOLATIONS = 20;

    private final Database database;
    private final Outbox outbox;
    private final Inbox inbox;
    private final EventTypes types;
    private final Sources sources;
    private final Conflicts conflicts;
    private final IngestMetrics metrics;
    private final Runnable wake;

    /**
     * @param wake called after a commit that left something to deliver
     */
    public Ingest(
            Database database,
            Outbox outbox,
            Inbox inbox,
            EventTypes types,
            Sources sources,
            Conflicts conflicts,
            IngestMetrics metrics,
            Runnable wake) {
        this.database = database;
        this.outbox = outbox;
        this.inbox = inbox;
        this.types = types;
        this.sources = sources;
        this.conflicts = conflicts;
        this.metrics = metrics;
        this.wake = wake;
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
            metrics.count(protocol, Outcome.REFUSED, refused(e.problem()));
            throw e;
        } catch (RuntimeException e) {
            metrics.count(protocol, Outcome.UNAVAILABLE, events.size());
            throw e;
        }
    }

    /** Those at fault: a stream records the others in another call. */
    private static int refused(Problem problem) {
        return (int) Math.max(
                1, problem.violations().stream().map(Violation::item).distinct().count());
    }

    private List<Recorded> record(List<Event> events, Caller caller) {
        Digest digest = new Digest();
        List<InboxEntry> entries = events.stream()
                .map(event -> new InboxEntry(event.id(), digest.of(event)))
                .toList();
        check(events, entries, caller);
        List<Recorded> recorded = inTransaction(events, entries, caller);
        if (recorded.stream().anyMatch(each -> !each.duplicate())) {
            wake.run();
        }
        return recorded;
    }

    /** What was recorded before kept the rules of its time: whatever its type says now, it is a duplicate. */
    private void check(List<Event> events, List<InboxEntry> entries, Caller caller) {
        try {
            types.check(events, Set.of());
        } catch (ProblemException refused) {
            List<Claim> claims = lookUp(entries);
            Set<Integer> duplicates = places(claims, Claim.DUPLICATE);
            conflicts.count(caller, conflicting(events, claims));
            if (duplicates.isEmpty()) {
                throw refused;
            }
            types.check(events, duplicates);
        }
    }

    private static Set<Integer> places(List<Claim> claims, Claim wanted) {
        return IntStream.range(0, claims.size())
                .filter(i -> claims.get(i) == wanted)
                .boxed()
                .collect(Collectors.toSet());
    }

    private static List<Event> conflicting(List<Event> events, List<Claim> claims) {
        return places(claims, Claim.CONFLICT).stream().map(events::get).toList();
    }

    private List<Claim> lookUp(List<InboxEntry> entries) {
        try (Connection connection = database.calls().getConnection()) {
            return inbox.lookUpIngest(connection, entries);
        } catch (SQLException e) {
            throw PosthornException.database("looking for events that are known", e);
        }
    }

    private List<Recorded> inTransaction(List<Event> events, List<InboxEntry> entries, Caller caller) {
        try (Connection connection = database.calls().getConnection()) {
            connection.setAutoCommit(false);
            try {
                Set<String> newSources = sources.unknown(events);
                sources.add(connection, newSources);
                List<Recorded> recorded = record(connection, events, entries, caller);
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

    private List<Recorded> record(Connection connection, List<Event> events, List<InboxEntry> entries, Caller caller) {
        List<Claim> claims = inbox.claimIngest(connection, entries);
        refuseConflicts(events, claims, caller);
        List<Event> fresh = new ArrayList<>(events.size());
        List<Recorded> recorded = new ArrayList<>(events.size());
        for (int i = 0; i < events.size(); i++) {
            boolean duplicate = claims.get(i) == Claim.DUPLICATE;
            recorded.add(new Recorded(events.get(i), duplicate));
            if (!duplicate) {
                fresh.add(events.get(i));
            }
        }
        outbox.record(connection, fresh);
        return recorded;
    }

    private void refuseConflicts(List<Event> events, List<Claim> claims, Caller caller) {
        List<Event> conflicting = conflicting(events, claims);
        if (conflicting.isEmpty()) {
            return;
        }
        conflicts.count(caller, conflicting);
        Set<UUID> guessed = guessed(conflicting, events, claims);
        throw Problem.violated(
                        ProblemType.CONFLICT,
                        IntStream.range(0, events.size())
                                .filter(i -> claims.get(i) == Claim.CONFLICT
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
    private static Set<UUID> guessed(List<Event> conflicting, List<Event> events, List<Claim> claims) {
        Set<UUID> guessed =
                conflicting.stream()
                        .collect(Collectors.groupingBy(Event::id, Collectors.counting()))
                        .entrySet()
                        .stream()
                        .filter(each -> each.getValue() > Conflicts.FREE)
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toSet());
        places(claims, Claim.FRESH)
                .forEach(place -> guessed.remove(events.get(place).id()));
        return guessed;
    }

    private static Violation conflict(List<Event> events, int item) {
        Violation violation = Violation.of(
                "id",
                "'" + new Recorded(events.get(item), true).id()
                        + "' was published before with another content; give an event that is new an id of its own");
        return events.size() == 1 ? violation : violation.ofItem(item);
    }
}
