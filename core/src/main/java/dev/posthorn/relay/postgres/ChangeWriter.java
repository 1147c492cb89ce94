package dev.posthorn.relay.postgres;

import dev.posthorn.log.Session;
import dev.posthorn.relay.store.AttemptRecord;
import dev.posthorn.relay.store.Changes;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LetterChange;
import dev.posthorn.relay.store.RowChange;
import dev.posthorn.sink.Cause;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Reply;
import dev.posthorn.sink.Storable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes delivery rows, dead letters, attempts and answers, each kind with one statement. Part of a settle, and made for
 * it: it keeps nothing.
 */
final class ChangeWriter {

    private static final String PUT_ROWS = """
            INSERT INTO posthorn.delivery AS d
                   (lane_id, seq, event_id, key, state, attempts, due_at, error_class, error_message, failed_at,
                    dead_letter_id, replay_id, unanswered)
            SELECT :lane, r.seq, r.event_id::uuid, r.key, r.state, r.attempts,
                   CASE WHEN r.state <> 'HELD' THEN
                        coalesce(r.due_at::timestamptz, posthorn.clock() + r.due_in * interval '1 microsecond') END,
                   r.error_class, r.error_message,
                   CASE WHEN r.error_class IS NOT NULL THEN posthorn.clock() END, r.dead_letter_id,
                   r.replay_id, r.unanswered::boolean
              FROM unnest(:seqs::bigint[], :event_ids::text[], :keys::text[], :states::text[], :attempts::bigint[],
                          :due_at::text[], :due_in::bigint[], :error_classes::text[], :error_messages::text[],
                          :dead_letters::bigint[], :replays::bigint[], :unanswered::text[])
                   AS r (seq, event_id, key, state, attempts, due_at, due_in, error_class, error_message,
                         dead_letter_id, replay_id, unanswered)
                ON CONFLICT (lane_id, seq) DO UPDATE
                   SET state = excluded.state, attempts = excluded.attempts, due_at = excluded.due_at,
                       unanswered = excluded.unanswered, changed_at = excluded.changed_at,
                       error_class = coalesce(excluded.error_class, d.error_class),
                       error_message = coalesce(excluded.error_message, d.error_message),
                       failed_at = coalesce(excluded.failed_at, d.failed_at),
                       dead_letter_id = coalesce(excluded.dead_letter_id, d.dead_letter_id),
                       replay_id = coalesce(excluded.replay_id, d.replay_id),
                       place = CASE WHEN excluded.state = 'HELD' THEN excluded.place ELSE d.place END
            """;

    private static final String REMOVE_ROWS =
            "DELETE FROM posthorn.delivery WHERE lane_id = :lane AND seq = ANY (:seqs::bigint[])";

    /** After the attempts, the first of which tells since when. */
    private static final String BURY = """
            INSERT INTO posthorn.dead_letter AS l
                   (subscription_id, txid, seq, event_id, source_id, source, type, version, aggregate_type, key,
                    content_type, payload, headers, occurred_at, recorded_at, deliver_at,
                    attempts, error_class, error_message, cause, first_failed_at, last_failed_at, holds_key)
            SELECT :subscription, e.txid, e.seq, e.id, e.source_id, e.source, e.type, e.version, e.aggregate_type, e.key,
                   e.content_type, e.payload, e.headers, e.occurred_at, e.created_at, e.deliver_at,
                   r.attempts, r.error_class, r.error_message, r.cause,
                   coalesce((SELECT min(a.started_at) FROM posthorn.attempt a
                              WHERE a.subscription_id = :subscription AND a.seq = r.seq), posthorn.clock()),
                   posthorn.clock(), r.holds_key::boolean
              FROM unnest(:seqs::bigint[], :attempts::bigint[], :error_classes::text[], :error_messages::text[],
                          :causes::text[], :holds::text[])
                   AS r (seq, attempts, error_class, error_message, cause, holds_key)
             CROSS JOIN LATERAL (
                   SELECT * FROM posthorn.event WHERE seq = r.seq
                   UNION ALL
                   SELECT * FROM posthorn.kept_event WHERE seq = r.seq
                   LIMIT 1) e
                ON CONFLICT (subscription_id, seq) DO UPDATE
                   SET attempts = excluded.attempts, error_class = excluded.error_class,
                       error_message = excluded.error_message, cause = excluded.cause,
                       last_failed_at = excluded.last_failed_at, holds_key = excluded.holds_key, discarded_at = NULL,
                       purged_at = NULL
            """;

    private static final String RETURN_LETTERS = """
            UPDATE posthorn.dead_letter l
               SET attempts = r.attempts, error_class = r.error_class, error_message = r.error_message, cause = r.cause,
                   last_failed_at = posthorn.clock(), replays = l.replays + 1
              FROM unnest(:seqs::bigint[], :attempts::bigint[], :error_classes::text[], :error_messages::text[],
                          :causes::text[]) AS r (seq, attempts, error_class, error_message, cause)
             WHERE l.subscription_id = :subscription AND l.seq = r.seq
            """;

    private static final String OF_THESE = " WHERE subscription_id = :subscription AND seq = ANY (:seqs::bigint[])";

    private static final String RELEASE_LETTERS = "UPDATE posthorn.dead_letter SET holds_key = false" + OF_THESE;

    private static final String REMOVE_LETTERS = "DELETE FROM posthorn.dead_letter" + OF_THESE;

    private static final String DISCARD_LETTERS = """
            UPDATE posthorn.dead_letter l
               SET discarded_at = posthorn.clock(), discarded_by = r.discarded_by, discard_reason = r.reason
              FROM unnest(:seqs::bigint[], :by::text[], :reasons::text[]) AS r (seq, discarded_by, reason)
             WHERE l.subscription_id = :subscription AND l.seq = r.seq
            """;

    /** It says no more than that somebody gave it up; one that was discarded before says by whom it was then. */
    private static final String PURGE_LETTERS = """
            UPDATE posthorn.dead_letter l
               SET purged_at = posthorn.clock(), payload = '', headers = NULL, incomplete = true, error_class = 'purged',
                   error_message = 'purged', cause = 'purged',
                   discarded_at = coalesce(l.discarded_at, posthorn.clock()),
                   discarded_by = coalesce(l.discarded_by, r.purged_by), discard_reason = coalesce(l.discard_reason, r.reason)
              FROM unnest(:seqs::bigint[], :by::text[], :reasons::text[]) AS r (seq, purged_by, reason)
             WHERE l.subscription_id = :subscription AND l.seq = r.seq AND l.purged_at IS NULL
            """;

    private static final String REMOVE_ATTEMPTS = "DELETE FROM posthorn.attempt" + OF_THESE;

    private static final String ADD_ATTEMPTS = """
            INSERT INTO posthorn.attempt
                   (subscription_id, seq, number, started_at, took_ms, outcome, error_class, message, reply_code, reply,
                    instance)
            SELECT :subscription, r.seq, r.number, posthorn.clock() - r.ago * interval '1 microsecond', r.took_ms,
                   r.outcome, r.error_class, r.message, r.reply_code, r.reply, :instance
              FROM unnest(:seqs::bigint[], :numbers::bigint[], :ago::bigint[], :took::bigint[], :outcomes::text[],
                          :error_classes::text[], :error_messages::text[], :reply_codes::bigint[], :replies::text[])
                   AS r (seq, number, ago, took_ms, outcome, error_class, message, reply_code, reply)
            """;

    private static final String ANSWER = """
            UPDATE posthorn.command c SET answered_at = posthorn.clock(), answer = r.answer
              FROM unnest(:ids::bigint[], :answers::text[]) AS r (id, answer) WHERE c.id = r.id
            """;

    private final Session session;
    private final LaneGrant grant;
    private final String instance;
    private final ItemWriter items;

    ChangeWriter(Session session, LaneGrant grant, String instance) {
        this.session = session;
        this.grant = grant;
        this.instance = instance;
        this.items = new ItemWriter(session, grant);
    }

    void write(Connection connection, Changes changes) throws SQLException {
        putRows(connection, changes.rows.values());
        run(connection, REMOVE_ROWS, changes.removedRows, Map.of("seqs", seqs -> numbers(seqs, seq -> seq)));
        addAttempts(connection, changes.attempts);
        writeLetters(connection, changes.letters);
        items.write(connection, changes.items);
        run(
                connection,
                ANSWER,
                changes.answers.entrySet(),
                Map.of(
                        "ids", some -> numbers(some, Map.Entry::getKey),
                        "answers", some -> texts(some, Map.Entry::getValue)));
    }

    private void putRows(Connection connection, Collection<RowChange> rows) throws SQLException {
        Map<String, Function<Collection<RowChange>, Object>> columns = new HashMap<>();
        columns.put("seqs", some -> numbers(some, RowChange::seq));
        columns.put("event_ids", some -> texts(some, row -> row.eventId().toString()));
        columns.put("keys", some -> texts(some, RowChange::key));
        columns.put("states", some -> texts(some, row -> row.state().name()));
        columns.put("attempts", some -> numbers(some, row -> (long) row.attempts()));
        columns.put(
                "due_at",
                some -> texts(
                        some, row -> row.dueAt() == null ? null : row.dueAt().toString()));
        columns.put(
                "due_in",
                some -> numbers(
                        some, row -> row.dueIn() == null ? null : row.dueIn().toNanos() / 1000));
        columns.put("unanswered", some -> texts(some, row -> String.valueOf(row.unanswered())));
        columns.put(
                "dead_letters",
                some -> numbers(
                        some, row -> row.replay() == null ? null : row.replay().deadLetterId()));
        columns.put(
                "replays",
                some -> numbers(
                        some, row -> row.replay() == null ? null : row.replay().replayId()));
        columns.put("error_classes", some -> texts(some, row -> label(row.failure())));
        columns.put("error_messages", some -> texts(some, row -> message(row.failure())));
        run(connection, PUT_ROWS, rows, columns);
    }

    private void addAttempts(Connection connection, List<AttemptRecord> attempts) throws SQLException {
        Map<String, Function<Collection<AttemptRecord>, Object>> columns = new HashMap<>();
        columns.put("seqs", some -> numbers(some, AttemptRecord::seq));
        columns.put("numbers", some -> numbers(some, each -> (long) each.number()));
        columns.put("ago", some -> numbers(some, each -> each.startedAgo() / 1000));
        columns.put("took", some -> numbers(some, each -> each.took() / 1_000_000));
        columns.put("outcomes", some -> texts(some, ChangeWriter::outcome));
        columns.put("error_classes", some -> texts(some, each -> label(failure(each))));
        columns.put("error_messages", some -> texts(some, each -> message(failure(each))));
        columns.put("reply_codes", some -> numbers(some, ChangeWriter::replyCode));
        columns.put("replies", some -> texts(some, ChangeWriter::reply));
        columns.put("instance", some -> instance);
        run(connection, ADD_ATTEMPTS, attempts, columns);
    }

    private static Outcome.@Nullable Failure failure(AttemptRecord attempt) {
        return attempt.outcome() instanceof Outcome.Failure failure ? failure : null;
    }

    private static @Nullable Long replyCode(AttemptRecord attempt) {
        Reply reply = attempt.outcome().reply();
        return reply == null ? null : (long) reply.code();
    }

    private static @Nullable String reply(AttemptRecord attempt) {
        Reply reply = attempt.outcome().reply();
        return reply == null ? null : Storable.text(reply.text());
    }

    private static String outcome(AttemptRecord attempt) {
        return attempt.outcome().getClass().getSimpleName().toUpperCase(Locale.ROOT);
    }

    private void writeLetters(Connection connection, List<LetterChange> letters) throws SQLException {
        if (letters.isEmpty()) {
            return;
        }
        Map<String, Function<Collection<LetterChange.Dead>, Object>> dead = new HashMap<>();
        dead.put("seqs", some -> numbers(some, LetterChange.Dead::seq));
        dead.put("attempts", some -> numbers(some, each -> (long) each.attempts()));
        dead.put("error_classes", some -> texts(some, each -> label(each.failure())));
        dead.put("error_messages", some -> texts(some, each -> message(each.failure())));
        dead.put("causes", some -> texts(some, each -> cause(each.failure())));
        dead.put("holds", some -> texts(some, each -> String.valueOf(each.holdsKey())));
        run(connection, BURY, of(LetterChange.Dead.class, letters), dead);

        Map<String, Function<Collection<LetterChange.Returned>, Object>> returned = new HashMap<>();
        returned.put("seqs", some -> numbers(some, LetterChange.Returned::seq));
        returned.put("attempts", some -> numbers(some, each -> (long) each.attempts()));
        returned.put("error_classes", some -> texts(some, each -> label(each.failure())));
        returned.put("error_messages", some -> texts(some, each -> message(each.failure())));
        returned.put("causes", some -> texts(some, each -> cause(each.failure())));
        run(connection, RETURN_LETTERS, of(LetterChange.Returned.class, letters), returned);

        runOnSeqs(connection, RELEASE_LETTERS, of(LetterChange.Released.class, letters));
        runOnSeqs(connection, REMOVE_LETTERS, of(LetterChange.Removed.class, letters));
        run(
                connection,
                DISCARD_LETTERS,
                of(LetterChange.Discarded.class, letters),
                Map.of(
                        "seqs", some -> numbers(some, LetterChange.Discarded::seq),
                        "by", some -> texts(some, LetterChange.Discarded::by),
                        "reasons", some -> texts(some, LetterChange.Discarded::reason)));
        List<LetterChange.Purged> purged = of(LetterChange.Purged.class, letters);
        run(
                connection,
                PURGE_LETTERS,
                purged,
                Map.of(
                        "seqs", some -> numbers(some, LetterChange.Purged::seq),
                        "by", some -> texts(some, LetterChange.Purged::by),
                        "reasons", some -> texts(some, LetterChange.Purged::reason)));
        runOnSeqs(connection, REMOVE_ATTEMPTS, purged);
    }

    private static <T extends LetterChange> List<T> of(Class<T> kind, List<LetterChange> letters) {
        return letters.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private <T extends LetterChange> void runOnSeqs(Connection connection, String sql, List<T> letters)
            throws SQLException {
        run(connection, sql, letters, Map.of("seqs", some -> numbers(some, LetterChange::seq)));
    }

    /** One statement for all of a kind; its values are columns of theirs. */
    private <T> void run(
            Connection connection,
            String text,
            Collection<T> some,
            Map<String, Function<Collection<T>, Object>> columns)
            throws SQLException {
        if (some.isEmpty()) {
            return;
        }
        Map<String, @Nullable Object> values = new HashMap<>();
        columns.forEach((name, column) -> values.put(name, column.apply(some)));
        values.put("lane", grant.lease().laneId());
        values.put("subscription", grant.subscriptionId());
        session.prepare(connection, session.sql(text), values).executeUpdate();
    }

    private static <T> @Nullable Long[] numbers(Collection<T> some, Function<? super T, @Nullable Long> value) {
        return column(some, value, Long[]::new);
    }

    private static <T> @Nullable String[] texts(Collection<T> some, Function<? super T, @Nullable String> value) {
        return column(some, value, String[]::new);
    }

    private static <T, V> @Nullable V[] column(
            Collection<T> some, Function<? super T, @Nullable V> value, IntFunction<@Nullable V[]> array) {
        return some.stream().map(value).toArray(array);
    }

    static @Nullable String label(Outcome.@Nullable Failure failure) {
        return failure == null ? null : failure.errorClass().label();
    }

    static @Nullable String message(Outcome.@Nullable Failure failure) {
        return failure == null ? null : Storable.text(failure.reason());
    }

    private static String cause(Outcome.Failure failure) {
        return Cause.of(String.valueOf(message(failure)));
    }
}
