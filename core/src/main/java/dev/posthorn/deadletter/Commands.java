package dev.posthorn.deadletter;

import dev.posthorn.error.Requests;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
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

    private static final Duration SHORTEST_NAP = Duration.ofMillis(10);
    private static final Duration LONGEST_NAP = Duration.ofMillis(250);
    private static final String NAME_YOURSELF = "say who asks for it";

    private static final String FIND_LETTER = """
            SELECT id, subscription_id, key, event_id, seq, holds_key, discarded_at, discarded_by
              FROM posthorn.dead_letter WHERE id = :id
            """;

    private static final String FIND_FIRST_OF_KEY = """
            SELECT id, subscription_id, key, event_id, seq, holds_key, discarded_at, discarded_by
              FROM posthorn.dead_letter
             WHERE subscription_id = :subscription AND key = :key AND discarded_at IS NULL
             ORDER BY seq LIMIT 1
            """;

    private static final String FIND_SUBSCRIPTION = "SELECT id FROM posthorn.subscription WHERE name = :name";

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

    public Commands(DataSource dataSource, SchemaName schema) {
        this.queries = new Queries(dataSource, schema);
    }

    /** Sends a dead letter again. Success removes it, failure returns it. */
    public CommandTicket replay(long deadLetterId, String by) {
        String name = name(by);
        return queries.run("asking for a replay", t -> ask(t, "REPLAY", open(t, deadLetterId), name, null, null));
    }

    /** Sends all dead letters of a key again, in their order. */
    public CommandTicket replayKey(String subscription, String key, String by) {
        String name = name(by);
        String wanted = Requests.required("key", key, 1_024, "unordered events are replayed one by one, by id");
        return queries.run("asking for a replay", t -> {
            long id = subscriptionId(t, subscription);
            Target first = t.first(FIND_FIRST_OF_KEY, Map.of("subscription", id, "key", wanted), Target::read)
                    .orElseThrow(() -> Requests.notFound("subscription " + subscription
                            + " has no open dead letter of key '" + wanted + "', so there is nothing to replay"));
            return ask(t, "REPLAY_KEY", first, name, null, null);
        });
    }

    /** Lets the key of a dead letter go on without it; the letter stays. */
    public CommandTicket release(long deadLetterId, String by) {
        String name = name(by);
        return queries.run("asking for a release", t -> {
            Target target = open(t, deadLetterId);
            if (!target.holdsKey()) {
                throw Requests.conflict("dead letter " + deadLetterId
                        + " holds no key, so there is nothing to release: its key goes on already");
            }
            return ask(t, "RELEASE", target, name, null, null);
        });
    }

    /** Gives a dead letter up: it stays as a record of who did so and why, and its key goes on. */
    public CommandTicket discard(long deadLetterId, String by, String reason) {
        String name = name(by);
        String why =
                Requests.required("reason", reason, Requests.MAX_TEXT, "a discarded event is never delivered: say why");
        return queries.run("asking for a discard", t -> ask(t, "DISCARD", open(t, deadLetterId), name, null, why));
    }

    /** Puts an event that was not yet delivered off until the given time. The answer may be that it is too late. */
    public CommandTicket defer(String subscription, UUID eventId, Instant until, String by) {
        return deferOne(subscription, eventId, null, until, by);
    }

    /** The same for one of several events with that id, which different sources may have used: by its place in the log. */
    public CommandTicket defer(String subscription, UUID eventId, long seq, Instant until, String by) {
        return deferOne(subscription, eventId, seq, until, by);
    }

    private CommandTicket deferOne(String subscription, UUID eventId, @Nullable Long seq, Instant until, String by) {
        String name = name(by);
        Instant dueAt = Requests.time("until", until);
        return queries.run("asking for a deferral", t -> {
            long id = subscriptionId(t, subscription);
            if (!t.first(IS_IN_FUTURE, Map.of("until", dueAt), row -> row.getBoolean(1))
                    .orElse(false)) {
                throw Requests.refuse("until is " + dueAt + ", which is past; give a time to come");
            }
            Map<String, @Nullable Object> event = new HashMap<>();
            event.put("event_id", eventId);
            event.put("seq", seq);
            Target target = t.first(FIND_EVENT, event, row -> Target.live(row, id, eventId))
                    .orElseThrow(() -> Requests.notFound("there is no event with id " + eventId
                            + " in the log; if it is a dead letter, replay it when the time has come"));
            return ask(t, "DEFER", target, name, dueAt, null);
        });
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
        long start = System.nanoTime();
        Duration nap = SHORTEST_NAP;
        while (true) {
            Optional<CommandAnswer> answer = answer(commandId);
            Duration left = atMost.minusNanos(System.nanoTime() - start);
            if (answer.isPresent() || left.isNegative() || left.isZero()) {
                return answer;
            }
            try {
                Thread.sleep(Math.max(1, (nap.compareTo(left) < 0 ? nap : left).toMillis()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
            nap = nap.multipliedBy(2).compareTo(LONGEST_NAP) < 0 ? nap.multipliedBy(2) : LONGEST_NAP;
        }
    }

    /** The event that a command is about. */
    private record Target(
            long subscriptionId,
            @Nullable String key,
            UUID eventId,
            long seq,
            boolean holdsKey,
            @Nullable Instant discardedAt,
            @Nullable String discardedBy) {

        static Target read(ResultSet row) throws SQLException {
            return new Target(
                    row.getLong("subscription_id"),
                    row.getString("key"),
                    row.getObject("event_id", UUID.class),
                    row.getLong("seq"),
                    row.getBoolean("holds_key"),
                    Queries.timeOrNull(row, "discarded_at"),
                    row.getString("discarded_by"));
        }

        static Target live(ResultSet row, long subscriptionId, UUID eventId) throws SQLException {
            return new Target(subscriptionId, row.getString("key"), eventId, row.getLong("seq"), false, null, null);
        }
    }

    private static Target open(Queries.Transaction transaction, long deadLetterId) throws SQLException {
        Target target = transaction
                .first(FIND_LETTER, Map.of("id", deadLetterId), Target::read)
                .orElseThrow(() -> DeadLetters.unknown(deadLetterId));
        if (target.discardedAt() != null) {
            throw Requests.conflict("dead letter " + deadLetterId + " was discarded by " + target.discardedBy() + " at "
                    + target.discardedAt() + ", and that is final; record the event anew if it is wanted after all");
        }
        return target;
    }

    private static long subscriptionId(Queries.Transaction transaction, String subscription) throws SQLException {
        String name = Requests.required("subscription", subscription, Requests.MAX_NAME, "give a subscription's name");
        return transaction
                .first(FIND_SUBSCRIPTION, Map.of("name", name), row -> row.getLong(1))
                .orElseThrow(() -> Requests.notFound(
                        "there is no subscription named '" + name + "'; check the spelling of subscription"));
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

    private static String name(@Nullable String by) {
        return Requests.required("by", by, Requests.MAX_NAME, NAME_YOURSELF);
    }

    private static Optional<CommandAnswer> readAnswer(ResultSet row) throws SQLException {
        Instant answeredAt = Queries.timeOrNull(row, "answered_at");
        return answeredAt == null
                ? Optional.empty()
                : Optional.of(new CommandAnswer(Objects.requireNonNullElse(row.getString("answer"), ""), answeredAt));
    }
}
