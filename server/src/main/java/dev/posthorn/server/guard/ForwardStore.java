package dev.posthorn.server.guard;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.event.Event;
import dev.posthorn.event.EventIds;
import dev.posthorn.log.Queries;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Remembers what became of the events that came to guards. */
final class ForwardStore {

    private static final int ATTEMPTS = 3;

    /** Nobody else forwards it from the commit on. */
    private static final String CLAIM = """
            INSERT INTO posthorn.guard_forward AS f
                   (guard, event_id, source, source_id, type, digest, state, instance, due_at)
            VALUES (:guard, :event_id, :source, :source_id::text, :type, :digest, 'FORWARDING', :instance,
                    posthorn.clock() + make_interval(secs => :seconds::double precision))
                ON CONFLICT (guard, event_id) DO UPDATE
               SET state = 'FORWARDING', attempt = f.attempt + 1, instance = excluded.instance,
                   begun_at = posthorn.clock(), due_at = excluded.due_at, changed_at = posthorn.clock(),
                   status = NULL, reply = NULL, error_class = NULL, reason = NULL
             WHERE f.state = 'FREE' AND f.digest = excluded.digest
            RETURNING attempt
            """;

    /** By the database's clock alone. */
    private static final String DOUBT = """
            UPDATE posthorn.guard_forward
               SET state = 'IN_DOUBT', changed_at = posthorn.clock(), error_class = 'unknown',
                   reason = 'instance ' || instance || ' ended before it could tell what became of the request'
             WHERE state = 'FORWARDING' AND due_at < posthorn.clock()
            """;

    private static final String DOUBT_ONE = DOUBT + " AND guard = :guard AND event_id = :event_id";

    private static final String ROWS = """
            SELECT id, event_id, source, source_id, type, state, attempt, instance, begun_at, changed_at, status, reply,
                   error_class, reason, decision, decided_by, decision_reason, decided_at,
                   greatest(0, extract(epoch FROM due_at - posthorn.clock()) * 1000)::bigint AS left_millis,
                   digest IS NOT DISTINCT FROM coalesce(:digest::bytea, digest) AS same_content
              FROM posthorn.guard_forward WHERE guard = :guard
            """;

    private static final String ONE = ROWS + " AND event_id = :event_id";

    private static final String BY_SOURCE_ID =
            ROWS + " AND source_id = :source_id AND source = coalesce(:source::text, source) LIMIT 2";

    private static final String PAGE = ROWS + " AND id > :after ORDER BY id LIMIT :limit";

    private static final String PAGE_OF_STATE = ROWS + " AND state = :state AND id > :after ORDER BY id LIMIT :limit";

    /**
     * Of that request only. One that was believed to be in doubt may still be told what became of it, even after an
     * operator asked for a repetition that has not begun.
     */
    private static final String SETTLE = """
            UPDATE posthorn.guard_forward
               SET state = :state, status = :status::int, reply = :reply::text, error_class = :error_class::text,
                   reason = :reason::text, changed_at = posthorn.clock()
             WHERE guard = :guard AND event_id = :event_id AND attempt = :attempt
               AND (state = 'FORWARDING'
                    OR (state = 'IN_DOUBT' AND :state::text <> 'IN_DOUBT')
                    OR (state = 'FREE' AND :state::text IN ('FORWARDED', 'REFUSED')))
            """;

    private static final String DECIDE = """
            UPDATE posthorn.guard_forward
               SET state = :state, decision = :decision, decided_by = :by, decision_reason = :reason,
                   decided_at = posthorn.clock(), changed_at = posthorn.clock()
             WHERE guard = :guard AND event_id = :event_id AND state = :before
            """;

    private static final String COUNT =
            "SELECT count(*) AS n FROM posthorn.guard_forward WHERE guard = :guard AND state = :state";

    private static final String IN_DOUBT = """
            SELECT g.name, (SELECT count(*) FROM posthorn.guard_forward f
                             WHERE f.guard = g.name AND f.state = 'IN_DOUBT') AS n
              FROM posthorn.guard g ORDER BY g.name
            """;

    private static final String TRIM = """
            DELETE FROM posthorn.guard_forward WHERE id IN (
                SELECT id FROM posthorn.guard_forward
                 WHERE state NOT IN ('FORWARDING', 'IN_DOUBT')
                   AND changed_at < posthorn.clock() - make_interval(secs => :seconds::double precision)
                 ORDER BY changed_at LIMIT :limit FOR UPDATE SKIP LOCKED)
            """;

    private final Queries queries;
    private final String instance;

    ForwardStore(Queries queries, String instance) {
        this.queries = queries;
        this.instance = instance;
    }

    /** Whether the event is this caller's to forward. */
    sealed interface Claim {

        /** It is; by the number of this request. */
        record Mine(int attempt) implements Claim {}

        /** It is not: that is what became of it. */
        record Known(Forward forward) implements Claim {}
    }

    /**
     * Claims the event, for so long: whoever has not told by then what became of it leaves it in doubt. What it finds may
     * change under its hands, hence more than one look.
     */
    Claim claim(String guard, Event event, byte[] digest, Duration patience) {
        Map<String, @Nullable Object> values = key(guard, event.id());
        values.put("source", event.source());
        values.put("source_id", event.sourceId());
        values.put("type", event.type());
        values.put("digest", digest);
        values.put("instance", instance);
        values.put("seconds", seconds(patience));
        for (int i = 0; i < ATTEMPTS; i++) {
            Optional<Claim> claim =
                    queries.run("claiming event " + event.id() + " for guard " + guard, t -> claim(t, values));
            if (claim.isPresent()) {
                return claim.get();
            }
        }
        throw new IllegalStateException("event " + event.id() + " changes all the time");
    }

    private static Optional<Claim> claim(Queries.Transaction t, Map<String, @Nullable Object> values)
            throws SQLException {
        Optional<Integer> attempt = t.first(CLAIM, values, row -> row.getInt("attempt"));
        if (attempt.isPresent()) {
            return Optional.of(new Claim.Mine(attempt.get()));
        }
        t.update(DOUBT_ONE, values);
        return t.first(ONE, values, Forward::of)
                .filter(found -> found.state() != ForwardState.FREE || !found.sameContent())
                .map(Claim.Known::new);
    }

    private static Map<String, @Nullable Object> key(String guard, UUID eventId) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("guard", guard);
        values.put("event_id", eventId);
        values.put("digest", null);
        return values;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    /** Remembers the result; false if it is no longer asked for. */
    boolean settle(String guard, UUID eventId, int attempt, Result result, UnaryOperator<String> hidden) {
        Map<String, @Nullable Object> values = key(guard, eventId);
        values.put("attempt", attempt);
        values.put("state", result.state().name());
        values.put("status", result.status());
        values.put("reply", result.reply(hidden));
        values.put("error_class", result.errorClass());
        values.put("reason", result.reason(hidden));
        return queries.run(
                "remembering what became of event " + eventId + " at guard " + guard,
                t -> t.update(SETTLE, values) == 1);
    }

    Optional<Forward> find(String guard, String id, @Nullable String source) {
        return queries.run("looking for event " + id + " at guard " + guard, t -> find(t, guard, id, source));
    }

    private static Optional<Forward> find(Queries.Transaction t, String guard, String id, @Nullable String source)
            throws SQLException {
        t.update(DOUBT, Map.of());
        UUID uuid = EventIds.uuid(id);
        Optional<Forward> known = uuid == null ? Optional.empty() : t.first(ONE, key(guard, uuid), Forward::of);
        return known.isPresent() && (source == null || known.get().source().equals(source))
                ? known
                : bySourceId(t, guard, id, source);
    }

    private static Optional<Forward> bySourceId(Queries.Transaction t, String guard, String id, @Nullable String source)
            throws SQLException {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("guard", guard);
        values.put("digest", null);
        values.put("source_id", id);
        values.put("source", source);
        List<Forward> found = t.list(BY_SOURCE_ID, values, Forward::of);
        if (found.size() > 1) {
            throw ForwardProblems.ambiguous(id);
        }
        return found.stream().findFirst();
    }

    List<Forward> page(String guard, @Nullable ForwardState state, long after, int limit) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("guard", guard);
        values.put("digest", null);
        values.put("state", state == null ? null : state.name());
        values.put("after", after);
        values.put("limit", limit);
        return queries.run("listing forwards of guard " + guard, t -> {
            t.update(DOUBT, Map.of());
            return t.list(state == null ? PAGE : PAGE_OF_STATE, values, Forward::of);
        });
    }

    /** Decides it, and writes that down in the same transaction. */
    Optional<Forward> decide(
            String guard, String id, @Nullable String source, Decision decision, String reason, Actor by) {
        return queries.run("deciding event " + id + " of guard " + guard, t -> {
            Optional<Forward> before = find(t, guard, id, source);
            if (before.isEmpty()) {
                return before;
            }
            Map<String, @Nullable Object> values = key(guard, before.get().eventId());
            values.put("state", decision.result().name());
            values.put("decision", decision.name());
            values.put("by", by.name());
            values.put("reason", reason);
            values.put("before", before.get().state().name());
            if (!decision.isPossible(before.get().state()) || t.update(DECIDE, values) == 0) {
                throw ForwardProblems.notToBeDecided(guard, before.get(), decision);
            }
            Audit.write(t, by, act(guard, before.get(), decision, reason));
            return t.first(ONE, values, Forward::of);
        });
    }

    private static Act act(String guard, Forward before, Decision decision, String reason) {
        Map<String, String> detail = new LinkedHashMap<>();
        detail.put("event", before.eventId().toString());
        detail.put("decision", decision.name());
        detail.put("before", before.state().name());
        return new Act("guard.decide", "guard/" + guard, detail, null, reason);
    }

    long inDoubt(String guard) {
        return count(guard, ForwardState.IN_DOUBT);
    }

    /** Those that are in doubt or under way. */
    long open(String guard) {
        return count(guard, ForwardState.IN_DOUBT) + count(guard, ForwardState.FORWARDING);
    }

    private long count(String guard, ForwardState state) {
        return queries.run("counting forwards of guard " + guard, t -> {
            t.update(DOUBT, Map.of());
            return t.first(COUNT, Map.of("guard", guard, "state", state.name()), row -> row.getLong("n"))
                    .orElse(0L);
        });
    }

    /** How many wait for a decision, by guard; a guard without any has 0. */
    Map<String, Long> inDoubt() {
        return queries.run("counting forwards in doubt", t -> {
            t.update(DOUBT, Map.of());
            Map<String, Long> counts = new LinkedHashMap<>();
            t.list(IN_DOUBT, Map.of(), row -> counts.put(row.getString("name"), row.getLong("n")) == null);
            return counts;
        });
    }

    /** Forgets what is older than that, so many at most; tells how many it were. */
    int trim(Duration keptFor, int limit) {
        Map<String, Object> values = Map.of("seconds", seconds(keptFor), "limit", limit);
        return queries.run("forgetting old forwards", t -> t.update(TRIM, values));
    }
}
