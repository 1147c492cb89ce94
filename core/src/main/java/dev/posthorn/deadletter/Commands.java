package dev.posthorn.deadletter;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.error.Requests;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What an operator asks of a lane. Each command is a row, so that only the lane's owner ever touches delivery rows: it
 * carries the command out in its own time and writes what happened as the {@link #answer}. With no relay running the
 * command waits.
 *
 * <p>What is plainly impossible is refused at once. What becomes so before the owner comes to it is in the answer.
 */
public final class Commands {

    private static final String FIND_LETTER = """
            SELECT l.id, l.subscription_id, s.name AS subscription, l.key, l.event_id, l.seq, l.holds_key,
                   l.discarded_at, l.discarded_by
              FROM posthorn.dead_letter l JOIN posthorn.subscription s ON s.id = l.subscription_id
             WHERE l.id = :id AND l.purged_at IS NULL
            """;

    /** In the log, or among the copies of what waits longer than the log is kept. */
    private static final String FIND_EVENT = """
            SELECT key, seq FROM posthorn.event WHERE id = :event_id AND (:seq::bigint IS NULL OR seq = :seq)
            UNION
            SELECT key, seq FROM posthorn.kept_event WHERE id = :event_id AND (:seq::bigint IS NULL OR seq = :seq)
             ORDER BY seq DESC LIMIT 1
            """;

    private static final String IS_IN_FUTURE = "SELECT :until::timestamptz > posthorn.clock()";

    private static final String ASK = """
            INSERT INTO posthorn.command (subscription_id, kind, key, event_id, seq, due_at, requested_by, reason)
            VALUES (:subscription, :kind, :key, :event_id, :seq, :due_at, :requested_by, :reason)
            RETURNING id, requested_at
            """;

    private static final String ANSWER = "SELECT answer, answered_at FROM posthorn.command WHERE id = :id";

    private final Queries queries;
    private final Runnable asked;

    public Commands(DataSource dataSource, SchemaName schema) {
        this(dataSource, schema, () -> {});
    }

    /**
     * The same in the process of a relay, whose lanes then need not wait for their next look.
     *
     * @param asked called when a command is committed: {@code relay::tend}
     */
    public Commands(DataSource dataSource, SchemaName schema, Runnable asked) {
        this.queries = new Queries(dataSource, schema);
        this.asked = asked;
    }

    /** Lets the key of a dead letter go on without it; the letter stays. */
    public CommandTicket release(long deadLetterId, Actor by) {
        return ask("asking for a release", t -> {
            Target target = open(t, deadLetterId);
            if (!target.holdsKey()) {
                throw Requests.conflict("dead letter " + deadLetterId
                        + " holds no key, so there is nothing to release: its key goes on already");
            }
            Audit.write(t, by, ofLetter("dead-letter.release", deadLetterId, target, null));
            return ask(t, "RELEASE", target, by.name(), null, null);
        });
    }

    /** Gives a dead letter up: it stays as a record of who did so and why, and its key goes on. */
    public CommandTicket discard(long deadLetterId, Actor by, String reason) {
        String why = discardReason(reason);
        return ask("asking for a discard", t -> {
            Target target = open(t, deadLetterId);
            requireIdle(t, deadLetterId);
            Audit.write(t, by, ofLetter("dead-letter.discard", deadLetterId, target, why));
            return ask(t, "DISCARD", target, by.name(), null, why);
        });
    }

    /** Gives a dead letter up, if nobody has yet, and leaves nothing of it but that in the audit; its key goes on. */
    public CommandTicket purge(long deadLetterId, Actor by, String reason) {
        String why = purgeReason(reason);
        return ask("asking for a purge", t -> {
            Target target = letter(t, deadLetterId);
            requireIdle(t, deadLetterId);
            Audit.write(t, by, ofLetter("dead-letter.purge", deadLetterId, target, why));
            return ask(t, "PURGE", target, by.name(), null, why);
        });
    }

    private static void requireIdle(Queries.Transaction transaction, long deadLetterId) throws SQLException {
        DeadLetters.Replaying replaying = DeadLetters.replaying(transaction, deadLetterId);
        if (replaying.now()) {
            throw Requests.conflict("dead letter " + deadLetterId + " is being sent again"
                    + (replaying.replay() == null ? "" : " by replay " + replaying.replay())
                    + ", and may be delivered; wait for that, or cancel the replay first");
        }
    }

    static String discardReason(@Nullable String reason) {
        return Requests.required("reason", reason, Requests.MAX_TEXT, "a discarded event is never delivered: say why");
    }

    static String purgeReason(@Nullable String reason) {
        return Requests.required("reason", reason, Requests.MAX_TEXT, "a purged dead letter is gone for good: say why");
    }

    private static Act ofLetter(String action, long id, Target target, @Nullable String reason) {
        Map<String, String> detail = Map.of(
                "subscription", target.subscription(),
                "eventId", target.eventId().toString());
        return new Act(action, "dead-letter/" + id, detail, 1L, reason);
    }

    /** Puts an event that was not yet delivered off until the given time. The answer may be that it is too late. */
    public CommandTicket defer(String subscription, UUID eventId, Instant until, Actor by) {
        return deferOne(subscription, eventId, null, until, by);
    }

    /** The same for one of several events with that id, which different sources may have used: by its place in the log. */
    public CommandTicket defer(String subscription, UUID eventId, long seq, Instant until, Actor by) {
        return deferOne(subscription, eventId, seq, until, by);
    }

    private CommandTicket deferOne(String subscription, UUID eventId, @Nullable Long seq, Instant until, Actor by) {
        Instant dueAt = Requests.time("until", until).truncatedTo(ChronoUnit.MICROS);
        return ask("asking for a deferral", t -> {
            long id = subscriptionId(t, subscription);
            if (!t.first(IS_IN_FUTURE, Map.of("until", dueAt), row -> row.getBoolean(1))
                    .orElse(false)) {
                throw Requests.refuse("until is " + dueAt + ", which is past; give a time to come");
            }
            Map<String, @Nullable Object> event = new HashMap<>();
            event.put("event_id", eventId);
            event.put("seq", seq);
            Target target = t.first(FIND_EVENT, event, row -> Target.live(row, id, subscription, eventId))
                    .orElseThrow(() -> Requests.notFound("there is no event with id " + eventId
                            + " in the log; if it is a dead letter, replay it when the time has come"));
            Map<String, String> detail = Map.of("subscription", subscription, "until", dueAt.toString());
            Audit.write(t, by, new Act("event.defer", "event/" + eventId, detail, 1L, null));
            return ask(t, "DEFER", target, by.name(), dueAt, null);
        });
    }

    private CommandTicket ask(String what, Queries.Work<CommandTicket> work) {
        CommandTicket ticket = queries.run(what, work);
        asked.run();
        return ticket;
    }

    /** What became of a command; empty while its lane's owner has not come to it. */
    public Optional<CommandAnswer> answer(long commandId) {
        Optional<Optional<CommandAnswer>> found = queries.run(
                "asking for an answer", t -> t.first(ANSWER, Map.of("id", commandId), Commands::readAnswer));
        return found.orElseThrow(() -> Requests.notFound("there is no command with id " + commandId
                + "; if it was answered long ago, it was cleared away since"));
    }

    /** Waits for the answer; empty if there is none in that time, or if the thread is interrupted. */
    public Optional<CommandAnswer> await(long commandId, Duration atMost) {
        return Patience.await(atMost, () -> answer(commandId));
    }

    /** The event that a command is about. */
    private record Target(
            long subscriptionId,
            String subscription,
            @Nullable String key,
            UUID eventId,
            long seq,
            boolean holdsKey,
            @Nullable Instant discardedAt,
            @Nullable String discardedBy) {

        static Target read(ResultSet row) throws SQLException {
            return new Target(
                    row.getLong("subscription_id"),
                    row.getString("subscription"),
                    row.getString("key"),
                    row.getObject("event_id", UUID.class),
                    row.getLong("seq"),
                    row.getBoolean("holds_key"),
                    Queries.timeOrNull(row, "discarded_at"),
                    row.getString("discarded_by"));
        }

        static Target live(ResultSet row, long subscriptionId, String subscription, UUID eventId) throws SQLException {
            return new Target(
                    subscriptionId, subscription, row.getString("key"), eventId, row.getLong("seq"), false, null, null);
        }
    }

    private static Target letter(Queries.Transaction transaction, long deadLetterId) throws SQLException {
        return transaction
                .first(FIND_LETTER, Map.of("id", deadLetterId), Target::read)
                .orElseThrow(() -> DeadLetters.unknown(deadLetterId));
    }

    private static Target open(Queries.Transaction transaction, long deadLetterId) throws SQLException {
        Target target = letter(transaction, deadLetterId);
        if (target.discardedAt() != null) {
            throw Requests.conflict("dead letter " + deadLetterId + " was discarded by " + target.discardedBy() + " at "
                    + target.discardedAt() + ", and that is final; record the event anew if it is wanted after all");
        }
        return target;
    }

    private static long subscriptionId(Queries.Transaction transaction, String subscription) throws SQLException {
        String name = Requests.required("subscription", subscription, Requests.MAX_NAME, "give a subscription's name");
        return DeadLetters.subscriptionId(transaction, name);
    }

    private static CommandTicket ask(
            Queries.Transaction transaction,
            String kind,
            Target target,
            String by,
            @Nullable Instant dueAt,
            @Nullable String reason)
            throws SQLException {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("subscription", target.subscriptionId());
        values.put("kind", kind);
        values.put("key", target.key());
        values.put("event_id", target.eventId());
        values.put("seq", target.seq());
        values.put("due_at", dueAt);
        values.put("requested_by", by);
        values.put("reason", reason);
        List<CommandTicket> made = transaction.list(
                ASK, values, row -> new CommandTicket(row.getLong("id"), Queries.time(row, "requested_at")));
        return made.get(0);
    }

    private static Optional<CommandAnswer> readAnswer(ResultSet row) throws SQLException {
        Instant answeredAt = Queries.timeOrNull(row, "answered_at");
        return answeredAt == null
                ? Optional.empty()
                : Optional.of(new CommandAnswer(Objects.requireNonNullElse(row.getString("answer"), ""), answeredAt));
    }
}
