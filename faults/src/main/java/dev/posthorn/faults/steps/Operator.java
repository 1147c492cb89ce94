package dev.posthorn.faults.steps;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Deals with the dead letters of one subscription as its script says, and sees what is left of it in the tables. */
final class Operator implements AutoCloseable {

    private static final String LETTERS = """
            SELECT l.subscription_id, l.seq, l.event_id, l.key, l.discarded_at IS NOT NULL AS discarded, l.holds_key,
                   (SELECT count(*) FROM posthorn.command c
                     WHERE c.subscription_id = l.subscription_id AND c.seq = l.seq) AS commands, l.id, l.replays,
                   EXISTS (SELECT FROM posthorn.command c
                            WHERE c.subscription_id = l.subscription_id AND c.seq = l.seq AND c.answered_at IS NULL)
                   OR EXISTS (SELECT FROM posthorn.delivery d JOIN posthorn.lane ON lane.id = d.lane_id
                               WHERE lane.subscription_id = l.subscription_id AND d.seq = l.seq)
                   OR EXISTS (SELECT FROM posthorn.replay_item i
                               WHERE i.subscription_id = l.subscription_id AND i.seq = l.seq
                                 AND i.state = 'PENDING') AS busy
              FROM posthorn.dead_letter l JOIN posthorn.subscription s ON s.id = l.subscription_id WHERE s.name = ?
            """;

    private static final String ASK = """
            INSERT INTO posthorn.command (subscription_id, kind, key, event_id, seq, requested_by, reason)
            VALUES (?, ?, ?, ?, ?, 'faults', 'as the script says')
            """;

    /** All of a replay of one dead letter, in one statement and so in one transaction. */
    private static final String REPLAY = """
            WITH letter AS (
                SELECT l.*, s.name FROM posthorn.dead_letter l JOIN posthorn.subscription s ON s.id = l.subscription_id
                 WHERE l.id = ?),
            replay AS (
                INSERT INTO posthorn.replay (selection, requested, requested_by, reason)
                VALUES ('{}', 1, 'faults', 'as the script says') RETURNING id),
            item AS (
                INSERT INTO posthorn.replay_item
                       (replay_id, subscription_id, seq, event_id, key_hash, dead_letter_id, state)
                SELECT r.id, l.subscription_id, l.seq, l.event_id, posthorn.key_hash(l.key, l.event_id), l.id, 'PENDING'
                  FROM letter l CROSS JOIN replay r)
            INSERT INTO posthorn.replay_subscription (replay_id, subscription_id, name, requested)
            SELECT r.id, l.subscription_id, l.name, 1 FROM letter l CROSS JOIN replay r
            """;

    /** Those that have not come to their end, or whose items are not all accounted for. */
    private static final String OPEN_REPLAYS = """
            SELECT r.id, r.state, r.requested, n.delivered, n.ended
              FROM posthorn.subscription s JOIN posthorn.replay_subscription rs ON rs.subscription_id = s.id
              JOIN posthorn.replay r ON r.id = rs.replay_id
             CROSS JOIN LATERAL (
                   SELECT (SELECT coalesce(sum(count), 0) FROM posthorn.replay_delivered WHERE replay_id = r.id)
                              AS delivered,
                          (SELECT count(*) FROM posthorn.replay_item i
                            WHERE i.replay_id = r.id AND i.state <> 'PENDING') AS ended) n
             WHERE s.name = ? AND (r.state <> 'FINISHED' OR r.requested <> n.delivered + n.ended)
            """;

    /** Events that the mark does not settle, or that have a row, or that are still to be replayed. */
    private static final String IN_DOUBT = """
            SELECT e.id FROM posthorn.subscription s
              JOIN posthorn.lane l ON l.subscription_id = s.id AND l.generation = s.generation
              JOIN posthorn.lane_effective m ON m.lane_id = l.id
             CROSS JOIN posthorn.event e
             WHERE s.name = ? AND e.source = s.name AND e.seq > ?
               AND (NOT (pg_visible_in_snapshot(e.txid, m.a) OR (pg_visible_in_snapshot(e.txid, m.b) AND e.seq <= m.seq))
                    OR EXISTS (SELECT FROM posthorn.delivery d WHERE d.lane_id = l.id AND d.seq = e.seq)
                    OR EXISTS (SELECT FROM posthorn.replay_item i
                                WHERE i.subscription_id = s.id AND i.seq = e.seq AND i.state = 'PENDING'))
            """;

    private static final String OPEN_COMMANDS = """
            SELECT count(*) FROM posthorn.command c JOIN posthorn.subscription s ON s.id = c.subscription_id
             WHERE s.name = ? AND c.answered_at IS NULL
            """;

    private final Connection connection;
    private final Script script;

    /** What was recorded before is of other plays. */
    private final long seqBefore;

    Operator(Connection connection, Script script) throws SQLException {
        this.connection = connection;
        this.script = script;
        try (PreparedStatement statement =
                        connection.prepareStatement("SELECT coalesce(max(seq), 0) FROM posthorn.event");
                ResultSet row = statement.executeQuery()) {
            row.next();
            this.seqBefore = row.getLong(1);
        }
    }

    private record Letter(
            long subscription,
            long seq,
            UUID event,
            @Nullable String key,
            boolean discarded,
            boolean holdsKey,
            int commands,
            long id,
            int replays,
            boolean busy) {}

    private List<Letter> letters() throws SQLException {
        List<Letter> letters = new ArrayList<>();
        try (PreparedStatement statement = prepare(LETTERS);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                letters.add(new Letter(
                        row.getLong("subscription_id"),
                        row.getLong("seq"),
                        row.getObject("event_id", UUID.class),
                        row.getString("key"),
                        row.getBoolean("discarded"),
                        row.getBoolean("holds_key"),
                        row.getInt("commands"),
                        row.getLong("id"),
                        row.getInt("replays"),
                        row.getBoolean("busy")));
            }
        }
        return letters;
    }

    private PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.setString(1, script.source());
        return statement;
    }

    /** Asks for what is to be done next about each dead letter. */
    void look() throws SQLException {
        for (Letter letter : letters()) {
            if (!letter.busy && !letter.discarded) {
                deal(letter);
            }
        }
    }

    private void deal(Letter letter) throws SQLException {
        switch (script.fate(letter.event)) {
            case REPLAYED -> {
                script.mend(letter.event);
                replay(letter);
            }
            case RETURNED -> {
                if (letter.replays > 0) {
                    script.mend(letter.event);
                }
                replay(letter);
            }
            case RELEASED -> askOnce("RELEASE", letter);
            case DISCARDED -> askOnce("DISCARD", letter);
            default -> throw new IllegalStateException("nobody rejected " + letter);
        }
    }

    private void replay(Letter letter) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(REPLAY)) {
            insert.setLong(1, letter.id);
            insert.executeUpdate();
        }
    }

    private void askOnce(String kind, Letter letter) throws SQLException {
        if (letter.commands == 0) {
            ask(kind, letter);
        }
    }

    private void ask(String kind, Letter letter) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(ASK)) {
            insert.setLong(1, letter.subscription);
            insert.setString(2, kind);
            insert.setString(3, letter.key);
            insert.setObject(4, letter.event);
            insert.setLong(5, letter.seq);
            insert.executeUpdate();
        }
    }

    /** The events that another relay sends, whether they came before or not. */
    Set<UUID> inDoubt() throws SQLException {
        Set<UUID> ids = new HashSet<>();
        try (PreparedStatement statement = prepare(IN_DOUBT)) {
            statement.setLong(2, seqBefore);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    ids.add(row.getObject(1, UUID.class));
                }
            }
        }
        return ids;
    }

    /** What the tables hold that they should not hold in the end. */
    List<String> leftOver() throws SQLException {
        List<String> left = new ArrayList<>();
        for (Letter letter : letters()) {
            boolean asItShouldBe = switch (script.fate(letter.event)) {
                case RELEASED -> !letter.holdsKey && letter.commands == 1;
                case DISCARDED -> letter.discarded;
                default -> false;
            };
            if (!asItShouldBe) {
                left.add("dead letter " + script.fate(letter.event) + " " + letter);
            }
        }
        inDoubt().forEach(id -> left.add("event " + id + " (" + script.fate(id) + ") is not settled or has a row"));
        try (PreparedStatement statement = prepare(OPEN_COMMANDS);
                ResultSet row = statement.executeQuery()) {
            row.next();
            if (row.getInt(1) > 0) {
                left.add(row.getInt(1) + " commands without an answer");
            }
        }
        left.addAll(openReplays());
        return left;
    }

    private List<String> openReplays() throws SQLException {
        List<String> open = new ArrayList<>();
        try (PreparedStatement statement = prepare(OPEN_REPLAYS);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                open.add("replay " + row.getLong("id") + " is " + row.getString("state") + ": of "
                        + row.getLong("requested") + " items " + row.getLong("delivered") + " were delivered and "
                        + row.getLong("ended") + " ended otherwise");
            }
        }
        return open;
    }

    boolean isDone() throws SQLException {
        return script.isAllTaken() && leftOver().isEmpty();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
