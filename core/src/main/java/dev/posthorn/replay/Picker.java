package dev.posthorn.replay;

import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.error.Requests;
import dev.posthorn.log.Filter;
import dev.posthorn.log.Queries;
import dev.posthorn.log.TimeBounds;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Turns what was asked for into what is picked. Refuses what can be nothing but a mistake. */
final class Picker {

    /** Discarded letters are no part of any set, whatever the query says. */
    private static final String LETTERS = """
            SELECT l.subscription_id, l.seq, l.event_id, l.key, posthorn.key_hash(l.key, l.event_id) AS key_hash,
                   l.id AS dead_letter_id, l.type, l.recorded_at,
                   CASE WHEN EXISTS (SELECT FROM posthorn.replay_item i WHERE i.subscription_id = l.subscription_id
                                        AND i.seq = l.seq AND i.state = 'PENDING') THEN 'already-replaying'
                        WHEN l.replays >= :replay_limit THEN 'replay-limit' END AS skipped
              FROM posthorn.dead_letter l
             WHERE l.discarded_at IS NULL AND {condition}
            """;

    /** Between two seqs, so that only their partitions are read. */
    private static final String HISTORY = """
            SELECT s.id AS subscription_id, e.seq, e.id AS event_id, e.key, posthorn.key_hash(e.key, e.id) AS key_hash,
                   NULL::bigint AS dead_letter_id, e.type, e.created_at AS recorded_at,
                   CASE WHEN EXISTS (SELECT FROM posthorn.replay_item i WHERE i.subscription_id = s.id
                                        AND i.seq = e.seq AND i.state = 'PENDING') THEN 'already-replaying' END AS skipped
              FROM posthorn.event e
              JOIN posthorn.subscription s ON s.name = :subscription
              {joins}
             WHERE e.seq >= :least AND e.seq < :before AND e.created_at >= :since AND e.created_at < :until
               AND {narrowed} AND {settled}
            """;

    private static final String FIND_SUBSCRIPTION = "SELECT 1 FROM posthorn.subscription WHERE name = :name";

    private static final String FIND_LETTERS = """
            SELECT l.id, s.name, l.event_id, l.replays, l.discarded_at, l.discarded_by, i.replay_id
              FROM posthorn.dead_letter l
              JOIN posthorn.subscription s ON s.id = l.subscription_id
              LEFT JOIN posthorn.replay_item i ON i.subscription_id = l.subscription_id AND i.seq = l.seq
                   AND i.state = 'PENDING'
             WHERE l.purged_at IS NULL AND {condition} ORDER BY s.name, l.id
            """;

    private static final String BY_ID = "l.id = :id";
    private static final String BY_EVENT = "l.event_id = :event_id AND (:name::text IS NULL OR s.name = :name)";

    private final Queries.Transaction transaction;
    private final ReplayRequest request;

    Picker(Queries.Transaction transaction, ReplayRequest request) {
        this.transaction = transaction;
        this.request = request;
    }

    /** A dead letter that was named. */
    private record Named(
            long id,
            String subscription,
            UUID eventId,
            int replays,
            @Nullable String discarded,
            @Nullable Long replay) {

        static Named read(ResultSet row) throws SQLException {
            long replay = row.getLong("replay_id");
            boolean isReplaying = !row.wasNull();
            return new Named(
                    row.getLong("id"),
                    row.getString("name"),
                    row.getObject("event_id", UUID.class),
                    row.getInt("replays"),
                    Queries.timeOrNull(row, "discarded_at") == null ? null : row.getString("discarded_by"),
                    isReplaying ? replay : null);
        }
    }

    /** For a look: what cannot be sent now is counted. */
    Pick forPreview() throws SQLException {
        return pick(false);
    }

    /** For the real thing: somebody who names one letter is told why it cannot be sent. */
    Pick forStart() throws SQLException {
        return pick(true);
    }

    private Pick pick(boolean strictly) throws SQLException {
        Selection selection = request.selection();
        if (selection instanceof Selection.DeadLetterState letter) {
            return named(byId(letter.id()), strictly);
        }
        if (selection instanceof Selection.Message message) {
            return named(byEvent(message), strictly);
        }
        if (selection instanceof Selection.Letters letters) {
            return letters(letters.query());
        }
        if (selection instanceof Selection.Matching matching) {
            return letters(matching.query());
        }
        return history((Selection.History) selection);
    }

    private List<Named> byId(long id) throws SQLException {
        List<Named> found = find(BY_ID, Map.of("id", id));
        if (found.isEmpty()) {
            throw Requests.notFound("there is no dead letter with id " + id
                    + "; it may have been replayed with success, or purged. Look it up by its event id");
        }
        return found;
    }

    private List<Named> byEvent(Selection.Message message) throws SQLException {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("event_id", message.eventId());
        values.put("name", message.subscription());
        List<Named> found = find(BY_EVENT, values);
        if (found.isEmpty()) {
            throw Requests.notFound("event " + message.eventId() + " has no dead letter"
                    + (message.subscription() == null ? "" : " for subscription " + message.subscription())
                    + "; it may have been replayed with success, or purged. Look up its status");
        }
        requireOneSubscription(message, found);
        return found;
    }

    private static void requireOneSubscription(Selection.Message message, List<Named> found) {
        List<String> names = found.stream()
                .filter(each -> each.discarded() == null)
                .map(Named::subscription)
                .distinct()
                .toList();
        if (names.size() > 1) {
            throw Requests.conflict("event " + message.eventId() + " has dead letters for several subscriptions: "
                    + String.join(", ", names) + "; say for which one (subscription, over REST subscriberId)");
        }
    }

    private List<Named> find(String condition, Map<String, ? extends @Nullable Object> values) throws SQLException {
        return transaction.list(FIND_LETTERS.replace("{condition}", condition), values, Named::read);
    }

    /** An application may have used one id for several events; then there are several letters. */
    private Pick named(List<Named> letters, boolean strictly) {
        requireAnyOpen(letters);
        if (strictly && letters.size() == 1) {
            requireFree(letters.get(0));
        }
        List<Long> ids = letters.stream().map(Named::id).toList();
        return letters(DeadLetterQuery.builder().ids(ids).build());
    }

    /** Of a look as well: discarded letters are not even counted, so that it would find nothing and not say why. */
    private static void requireAnyOpen(List<Named> letters) {
        if (letters.stream().allMatch(each -> each.discarded() != null)) {
            Named letter = letters.get(0);
            throw Requests.conflict("dead letter " + letter.id() + " was discarded by " + letter.discarded()
                    + "; a discarded event is never sent. Record it anew if it is needed after all");
        }
    }

    private void requireFree(Named letter) {
        if (letter.replay() != null) {
            throw Requests.conflict("dead letter " + letter.id() + " is being replayed already by replay "
                    + letter.replay() + "; wait for it, or cancel it first");
        }
        if (letter.replays() >= request.replayLimit()) {
            throw Requests.conflict("dead letter " + letter.id() + " was replayed " + letter.replays()
                    + " times in vain; the limit is " + request.replayLimit()
                    + ". Mend the cause, then raise the limit (replayLimit, posthorn.replay.limit of a hub)");
        }
    }

    private Pick letters(DeadLetterQuery query) {
        Map<String, @Nullable Object> values = new HashMap<>(query.values());
        values.put("replay_limit", request.replayLimit());
        return new Pick(LETTERS.replace("{condition}", query.condition()), values);
    }

    private Pick history(Selection.History history) throws SQLException {
        if (transaction
                .list(FIND_SUBSCRIPTION, Map.of("name", history.subscription()), row -> 1)
                .isEmpty()) {
            throw Requests.notFound("there is no subscription named '" + history.subscription()
                    + "'; a replay of history needs one that is there");
        }
        TimeBounds bounds = TimeBounds.of(transaction, history.from(), history.to());
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("subscription", history.subscription());
        values.put("least", bounds.least());
        values.put("before", bounds.before());
        values.put("since", history.from());
        values.put("until", history.to());
        String sql = HISTORY.replace("{joins}", Pick.SETTLED_JOINS)
                .replace("{narrowed}", narrowed(history, values))
                .replace("{settled}", Pick.SETTLED);
        return new Pick(sql, values);
    }

    private static String narrowed(Selection.History history, Map<String, @Nullable Object> values) {
        List<String> conditions = new ArrayList<>(List.of("true"));
        if (!history.types().isEmpty()) {
            Filter.types(history.types().toArray(String[]::new)).addValues(values);
            conditions.add("e.type LIKE ANY (:types::text[])");
        }
        if (history.aggregateType() != null) {
            values.put("aggregate_type", history.aggregateType());
            conditions.add("e.aggregate_type = :aggregate_type");
        }
        if (history.key() != null) {
            values.put("key", history.key());
            conditions.add("e.key = :key");
        }
        if (history.eventId() != null) {
            values.put("event_id", history.eventId());
            conditions.add("e.id = :event_id");
        }
        return String.join(" AND ", conditions);
    }
}
