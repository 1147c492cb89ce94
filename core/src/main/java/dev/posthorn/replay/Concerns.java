package dev.posthorn.replay;

import dev.posthorn.log.Queries;
import dev.posthorn.log.TimeBounds;
import dev.posthorn.replay.Preview.Concern;
import dev.posthorn.replay.Preview.Warning;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks for what somebody may want to know before a replay is started. */
final class Concerns {

    /** How many keys are looked at, and how many of the newest events: the log has no index on the key. */
    private static final int KEYS = 10_000;

    private static final int EVENTS = 50_000;

    private static final String KEYS_WITH_LATER_EVENTS =
            """
            WITH {picked},
            firsts AS MATERIALIZED (
                SELECT subscription_id, key, min(seq) AS seq FROM picked WHERE skipped IS NULL AND key IS NOT NULL
                 GROUP BY subscription_id, key ORDER BY seq LIMIT :keys),
            newest AS MATERIALIZED (
                SELECT e.txid, e.seq, e.id, e.type, e.aggregate_type, e.source, e.key, e.headers FROM posthorn.event e
                 WHERE e.seq > (SELECT min(seq) FROM firsts) ORDER BY e.seq DESC LIMIT :events)
            SELECT s.name, count(DISTINCT e.key) AS keys
              FROM newest e
              JOIN firsts f ON f.key = e.key AND f.seq < e.seq
              JOIN posthorn.subscription s ON s.id = f.subscription_id
              {joins}
             WHERE {settled}
               AND NOT EXISTS (SELECT FROM picked p WHERE p.subscription_id = s.id AND p.seq = e.seq)
             GROUP BY s.name ORDER BY s.name
            """.replace("{joins}", Pick.SETTLED_JOINS).replace("{settled}", Pick.SETTLED);

    private static final String SUBSCRIPTIONS = """
            SELECT s.name, s.paused, s.pause_reason, b.since, b.reason, b.denied_since, b.denied_reason
              FROM posthorn.subscription s
             CROSS JOIN LATERAL (
                   SELECT min(g.breaker_since) AS since, min(g.breaker_reason) AS reason,
                          min(g.denial_since) AS denied_since, min(g.denial_reason) AS denied_reason
                     FROM posthorn.lane n JOIN posthorn.lane_gauge g ON g.lane_id = n.id
                    WHERE n.subscription_id = s.id AND n.generation = s.generation) b
             WHERE s.name = ANY (:names::text[]) ORDER BY s.name
            """;

    private static final String OLDEST_PARTITION = """
            SELECT from_seq, to_seq, passed_at IS NOT NULL AS passed FROM posthorn.event_partition
             ORDER BY from_seq LIMIT 1
            """;

    private record Partition(long from, long to, boolean passed) {}

    private final Queries.Transaction transaction;
    private final ReplayRequest request;
    private final Pick pick;
    private final Breakdown breakdown;
    private final List<Warning> found = new ArrayList<>();

    Concerns(Queries.Transaction transaction, ReplayRequest request, Pick pick, Breakdown breakdown) {
        this.transaction = transaction;
        this.request = request;
        this.pick = pick;
        this.breakdown = breakdown;
    }

    List<Warning> find(int largest) throws SQLException {
        checkIds();
        checkSubscriptions();
        checkKeys(largest);
        checkDedupPeriod();
        if (request.selection() instanceof Selection.History history) {
            checkLog(history);
        }
        return List.copyOf(found);
    }

    private void warn(Concern concern, String text) {
        found.add(new Warning(concern, text));
    }

    private void checkIds() {
        if (request.selection() instanceof Selection.Letters letters && breakdown.requested() < letters.count()) {
            warn(
                    Concern.IDS_NOT_FOUND,
                    (letters.count() - breakdown.requested()) + " of the " + letters.count()
                            + " ids are no open dead letters: replayed with success or discarded meanwhile");
        }
    }

    private void checkSubscriptions() throws SQLException {
        String[] names = breakdown.subscriptions.keySet().toArray(String[]::new);
        transaction.list(SUBSCRIPTIONS, Map.of("names", names), row -> {
            String name = row.getString("name");
            if (row.getBoolean("paused")) {
                warnOfPause(name, row.getString("pause_reason"));
            }
            Instant since = Queries.timeOrNull(row, "since");
            if (since != null) {
                warnOf(Concern.BREAKER_OPEN, name, "does not answer", since, row.getString("reason"));
            }
            Instant deniedSince = Queries.timeOrNull(row, "denied_since");
            if (deniedSince != null) {
                warnOf(Concern.DENIAL, name, "refuses everything", deniedSince, row.getString("denied_reason"));
            }
            return name;
        });
    }

    private void warnOfPause(String name, @Nullable String reason) {
        warn(
                Concern.SUBSCRIPTION_PAUSED,
                "subscription " + name + " is paused" + (reason == null ? "" : " (" + reason + ")")
                        + "; nothing is sent until it is resumed");
    }

    private void warnOf(Concern concern, String name, String what, Instant since, @Nullable String reason) {
        warn(
                concern,
                "the receiver of subscription " + name + " " + what + " since " + since
                        + (reason == null ? "" : " (" + reason + ")") + "; the replay waits for it");
    }

    private void checkKeys(int largest) throws SQLException {
        Map<String, @Nullable Object> values = pick.values(largest + 1L);
        values.put("keys", KEYS);
        values.put("events", EVENTS);
        transaction.list(pick.statement(KEYS_WITH_LATER_EVENTS), values, row -> {
            String name = row.getString("name");
            warn(
                    Concern.LATER_EVENTS_DELIVERED,
                    "for subscription " + name + ", " + row.getLong("keys") + " keys have later events that were"
                            + " delivered already; if it is ordered, their older events now arrive after newer ones."
                            + " Looked for in the newest " + EVENTS + " events");
            return name;
        });
    }

    private void checkDedupPeriod() {
        if (breakdown.forgotten() > 0) {
            warn(
                    Concern.OLDER_THAN_DEDUP_PERIOD,
                    breakdown.forgotten() + " events are older than "
                            + request.dedupPeriod().toDays()
                            + " days, for which consumers know an event that comes again; they may act on them twice");
        }
    }

    private void checkLog(Selection.History history) throws SQLException {
        Optional<Partition> oldest = transaction.first(
                OLDEST_PARTITION,
                Map.of(),
                row -> new Partition(row.getLong("from_seq"), row.getLong("to_seq"), row.getBoolean("passed")));
        if (oldest.isEmpty()) {
            return;
        }
        if (isAboutToGo(oldest.get())) {
            warn(
                    Concern.RETENTION,
                    "the oldest of the events are about to be dropped from the log; a replay that is started keeps them"
                            + " until it has ended, so start it soon or not at all");
        }
        if (oldest.get().from() > 1) {
            checkBeginning(history);
        }
    }

    /** Without knowing for how long events are kept, whatever lies in the oldest partition goes next. */
    private boolean isAboutToGo(Partition oldest) {
        Duration kept = request.logRetention();
        if (breakdown.first() == null) {
            return false;
        }
        return kept == null
                ? oldest.passed() && breakdown.first() < oldest.to()
                : breakdown.oldest().compareTo(kept.multipliedBy(9).dividedBy(10)) > 0;
    }

    private void checkBeginning(Selection.History history) throws SQLException {
        Optional<Instant> first =
                transaction.first(TimeBounds.NEXT, Map.of("seq", 0L), row -> Queries.time(row, "created_at"));
        if (first.isPresent() && history.from().isBefore(first.get())) {
            warn(
                    Concern.LOG_BEGINS_LATER,
                    "the log begins at " + first.get() + "; what was recorded before, from " + history.from()
                            + ", is not kept any more");
        }
    }
}
