package dev.posthorn.deadletter;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.error.Requests;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;

/** What operators write about groups of dead letters, for each other. */
public final class Notes {

    private static final int LONGEST = 4_000;

    private static final String HAS_LETTERS = """
            SELECT FROM posthorn.dead_letter l
             WHERE l.subscription_id = :subscription AND l.error_class = :error_class AND l.cause = :cause
               AND l.discarded_at IS NULL LIMIT 1
            """;

    private static final String SET = """
            INSERT INTO posthorn.dead_letter_note (subscription_id, error_class, cause, note, noted_by)
            VALUES (:subscription, :error_class, :cause, :note, :noted_by)
            ON CONFLICT (subscription_id, error_class, cause)
            DO UPDATE SET note = excluded.note, noted_by = excluded.noted_by, noted_at = excluded.noted_at
            """;

    private static final String CLEAR = """
            DELETE FROM posthorn.dead_letter_note
             WHERE subscription_id = :subscription AND error_class = :error_class AND cause = :cause
            """;

    private final Queries queries;

    public Notes(DataSource dataSource, SchemaName schema) {
        this.queries = new Queries(dataSource, schema);
    }

    /** A group, as {@link DeadLetterGroup} names it. */
    public record Group(String subscription, String errorClass, String cause) {

        public Group {
            Requests.required("subscription", subscription, Requests.MAX_NAME, "give a subscription's name");
            Requests.required("errorClass", errorClass, Requests.MAX_TEXT, "take it from the group");
            Requests.required("cause", cause, Requests.MAX_TEXT, "take it from the group");
        }
    }

    /** Writes the note of a group, in place of the one before. The group must have an open letter. */
    public void set(Group group, String note, Actor by) {
        String text = Requests.required("note", note, LONGEST, "to take it away, clear it");
        queries.run("writing a note", t -> {
            Map<String, Object> values = values(t, group);
            requireLetters(t, group, values);
            values.put("note", text);
            values.put("noted_by", by.name());
            t.update(SET, values);
            audit(t, "dead-letter.note", group, Map.of("note", text), by);
            return text;
        });
    }

    /** Takes the note of a group away. True if there was one. */
    public boolean clear(Group group, Actor by) {
        return queries.run("clearing a note", t -> {
            boolean cleared = t.update(CLEAR, values(t, group)) > 0;
            if (cleared) {
                audit(t, "dead-letter.clear-note", group, Map.of(), by);
            }
            return cleared;
        });
    }

    private static Map<String, Object> values(Queries.Transaction transaction, Group group) throws SQLException {
        Map<String, Object> values = new HashMap<>();
        values.put("subscription", DeadLetters.subscriptionId(transaction, group.subscription()));
        values.put("error_class", group.errorClass());
        values.put("cause", group.cause());
        return values;
    }

    private static void requireLetters(Queries.Transaction transaction, Group group, Map<String, Object> values)
            throws SQLException {
        if (transaction.first(HAS_LETTERS, values, row -> true).isEmpty()) {
            throw Requests.notFound("subscription " + group.subscription() + " has no open dead letter of class '"
                    + group.errorClass() + "' and cause '" + group.cause()
                    + "'; take both from the group as it is listed");
        }
    }

    private static void audit(
            Queries.Transaction transaction, String action, Group group, Map<String, String> more, Actor by)
            throws SQLException {
        Map<String, String> detail = new HashMap<>(more);
        detail.put("errorClass", group.errorClass());
        detail.put("cause", group.cause());
        Audit.write(transaction, by, new Act(action, "subscription/" + group.subscription(), detail, null, null));
    }
}
