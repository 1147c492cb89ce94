package dev.posthorn.server.ingest;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.log.Queries;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slows down who tries one content after the other under an id. Whether an id was published before with the same content is
 * what a publisher has to know; asked often enough it would tell what is in an event that the publisher may not see. So a
 * key gets a few conflicts for an id, and from then on no answer about that id until it has waited, twice as long each
 * time. Thread-safe; each instance counts for itself.
 */
public final class Conflicts {

    private static final Logger log = LoggerFactory.getLogger(Conflicts.class);

    /** More than somebody needs who has made a mistake, too few to find out anything. */
    static final int FREE = 5;

    /** Of a key; beyond that, the one that came first is forgotten. */
    static final int MOST_IDS = 10_000;

    private static final Duration LONGEST = Duration.ofHours(1);
    private static final Duration BETWEEN_ENTRIES = Duration.ofMinutes(1);
    private static final int MOST_VIOLATIONS = 20;

    private final Queries queries;
    private final LongSupplier nanos;
    private final Map<String, OfKey> keys = new ConcurrentHashMap<>();

    public Conflicts(Queries queries, LongSupplier nanos) {
        this.queries = queries;
        this.nanos = nanos;
    }

    /** How often there was one, and until when there is no answer. */
    private record Count(int conflicts, long until) {}

    /** The conflicts of a key, the longest known first. */
    private static final class OfKey {

        private final Map<UUID, Count> ids = new LinkedHashMap<>();
        private @Nullable Long audited;

        synchronized @Nullable Count count(UUID id) {
            return ids.get(id);
        }

        /** One more; how many there are then. */
        synchronized int add(UUID id, long now) {
            Count before = ids.remove(id);
            int conflicts = before == null ? 1 : before.conflicts() + 1;
            ids.put(id, new Count(conflicts, now + pause(conflicts).toNanos()));
            if (ids.size() > MOST_IDS) {
                ids.remove(ids.keySet().iterator().next());
            }
            return conflicts;
        }

        /** Whoever can make conflicts must not be able to fill the audit. */
        synchronized boolean mayAudit(long now) {
            if (audited != null && now - audited < BETWEEN_ENTRIES.toNanos()) {
                return false;
            }
            audited = now;
            return true;
        }
    }

    private static Duration pause(int conflicts) {
        if (conflicts < FREE) {
            return Duration.ZERO;
        }
        Duration pause = Duration.ofSeconds(1L << Math.min(conflicts - FREE, 20));
        return pause.compareTo(LONGEST) < 0 ? pause : LONGEST;
    }

    /** Refuses all of them if there is no answer about one at present. */
    public void require(Caller caller, List<Event> events) {
        OfKey known = keys.get(caller.name());
        if (known == null) {
            return;
        }
        long now = nanos.getAsLong();
        long longest = 0;
        List<Violation> found = new ArrayList<>();
        for (int i = 0; i < events.size() && found.size() < MOST_VIOLATIONS; i++) {
            Count count = known.count(events.get(i).id());
            if (count != null && count.conflicts() >= FREE && count.until() - now > 0) {
                longest = Math.max(longest, count.until() - now);
                found.add(slowed(events, i, count.conflicts()));
            }
        }
        if (!found.isEmpty()) {
            Problem violated = Problem.violated(ProblemType.TOO_MANY_REQUESTS, found);
            throw new Problem(violated.type(), violated.detail(), found, Duration.ofNanos(longest)).asException();
        }
    }

    private static Violation slowed(List<Event> events, int item, int conflicts) {
        Violation violation = Violation.of(
                "id",
                "'" + events.get(item).givenId() + "' was sent " + conflicts
                        + " times with another content than the one it was published with; give an event that is new an id"
                        + " of its own");
        return events.size() == 1 ? violation : violation.ofItem(item);
    }

    /** Counts a conflict of each. Who sees payloads has nothing to find out. */
    public void count(Caller caller, List<Event> conflicting) {
        if (caller.seesPayloads()) {
            return;
        }
        OfKey known = keys.computeIfAbsent(caller.name(), name -> new OfKey());
        for (Event event : conflicting) {
            long now = nanos.getAsLong();
            int conflicts = known.add(event.id(), now);
            if (conflicts >= FREE && known.mayAudit(now)) {
                audit(caller, event, conflicts);
            }
        }
    }

    private void audit(Caller caller, Event event, int conflicts) {
        Act act = new Act(
                "event.conflict",
                "event/" + event.id(),
                Map.of("source", event.source(), "type", event.type()),
                (long) conflicts,
                null);
        try {
            queries.run("writing down the conflicts of an API key", transaction -> {
                Audit.write(transaction, Actor.named(caller.name()), act);
                return true;
            });
        } catch (PosthornException e) {
            log.warn("The API key {} has tried {} contents for event {}", caller.name(), conflicts, event.id(), e);
        }
    }
}
