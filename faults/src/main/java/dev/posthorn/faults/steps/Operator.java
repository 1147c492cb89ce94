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
                     WHERE c.subscription_id = l.subscription_id AND c.seq = l.seq) AS commands,
                   EXISTS (SELECT FROM posthorn.command c
                            WHERE c.subscription_id = l.subscription_id AND c.seq = l.seq AND c.answered_at IS NULL)
                   OR EXISTS (SELECT FROM posthorn.delivery d JOIN posthorn.lane ON lane.id = d.lane_id
                               WHERE lane.subscription_id = l.subscription_id AND d.seq = l.seq) AS busy
              FROM posthorn.dead_letter l JOIN posthorn.subscription s ON s.id = l.subscription_id WHERE s.name = ?
            """;

    private static final String ASK = """
            INSERT INTO posthorn.command (subscription_id, kind, key, event_id, seq, requested_by, reason)
            VALUES (?, ?, ?, ?, ?, 'faults', 'as the script says')
            """;

    /** Events that the mark does not settle, or that have a row. */
    private static final String IN_DOUBT = """
            SELECT e.id FROM posthorn.subscription s
              JOIN posthorn.lane l ON l.subscription_id = s.id AND l.generation = s.generation
              JOIN posthorn.lane_mark m ON m.lane_id = l.id
             CROSS JOIN posthorn.event e
             WHERE s.name = ? AND e.source = s.name AND e.seq > ?
               AND (NOT (pg_visible_in_snapshot(e.txid, m.a) OR (pg_visible_in_snapshot(e.txid, m.b) AND e.seq <= m.seq))
                    OR EXISTS (SELECT FROM posthorn.delivery d WHERE d.lane_id = l.id AND d.seq = e.seq))
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
                ask("REPLAY", letter);
            }
            case RETURNED -> {
                if (letter.commands > 0) {
                    script.mend(letter.event);
                }
                ask("REPLAY", letter);
            }
            case RELEASED -> askOnce("RELEASE", letter);
            case DISCARDED -> askOnce("DISCARD", letter);
            default -> throw new IllegalStateException("nobody rejected " + letter);
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
        return left;
    }

    boolean isDone() throws SQLException {
        return script.isAllTaken() && leftOver().isEmpty();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
