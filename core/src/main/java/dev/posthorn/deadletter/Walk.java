package dev.posthorn.deadletter;

import dev.posthorn.log.Queries;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Letters being looked for: a walk along a trail that ends when enough was found or enough was looked at. */
final class Walk {

    /** How many letters one page looks at, about. */
    static final int MOST_LOOKED = 20_000;

    /** How many are looked at to count. */
    static final int MOST_COUNTED = 100_000;

    /** How many at a time. */
    private static final int SLICE = 5_000;

    private static final int COUNTED_SLICE = 20_000;

    private static final String LOOK = """
            WITH looked AS MATERIALIZED (SELECT l.id, l.last_failed_at, {condition} AS fits {walk})
            SELECT count(*) AS looked, min(last_failed_at) AS last_time,
                   (array_agg(id ORDER BY last_failed_at, id))[1] AS last_id,
                   count(*) FILTER (WHERE fits) AS fitting,
                   {found} AS found
              FROM looked
            """;

    private static final String IDS = "array_agg(id ORDER BY last_failed_at DESC, id DESC) FILTER (WHERE fits)";

    private record Slice(int looked, @Nullable Position last, int fitting, List<Long> found) {}

    private final Queries.Transaction transaction;
    private final DeadLetterQuery query;
    private final DeadLetterTrail trail;
    private Position before;
    private int looked;
    private boolean ended;

    Walk(Queries.Transaction transaction, DeadLetterQuery query) {
        this.transaction = transaction;
        this.query = query;
        this.trail = DeadLetterTrail.of(query);
        this.before = DeadLetterTrail.beginning(query);
    }

    /** The ids of the next letters: at most so many, and fewer if it is the end or enough was looked at. */
    List<Long> ids(int most) throws SQLException {
        List<Long> found = new ArrayList<>();
        int slice = most;
        while (found.size() < most && !ended && looked < MOST_LOOKED) {
            found.addAll(look(slice, IDS).found());
            slice = Math.max(slice, Math.min(SLICE, 4 * slice));
        }
        return found.size() > most ? found.subList(0, most) : found;
    }

    /** How many there are, counted up to a bound. */
    DeadLetterCount count(int atMost) throws SQLException {
        long count = 0;
        while (count <= atMost && !ended && looked < MOST_COUNTED) {
            count += look(Math.min(COUNTED_SLICE, atMost + 1), "NULL::bigint[]").fitting();
        }
        return count > atMost ? new DeadLetterCount(atMost, false) : new DeadLetterCount(count, ended);
    }

    /** Whether nothing is left to look at. */
    boolean isEnded() {
        return ended;
    }

    /** The last place that was looked at. */
    Position place() {
        return before;
    }

    private Slice look(int size, String found) throws SQLException {
        Slice slice = transaction
                .first(statement(query, found), DeadLetterTrail.values(query, before, size), Walk::slice)
                .orElseThrow();
        looked += slice.looked();
        ended = !trail.isWalked() || slice.looked() < size;
        Position last = slice.last();
        before = last == null ? before : last;
        return slice;
    }

    /** The statement that looks for the ids of letters. */
    static String statement(DeadLetterQuery query) {
        return statement(query, IDS);
    }

    private static String statement(DeadLetterQuery query, String found) {
        return LOOK.replace("{walk}", DeadLetterTrail.of(query).walk(query))
                .replace("{condition}", query.condition())
                .replace("{found}", found);
    }

    private static Slice slice(ResultSet row) throws SQLException {
        int looked = row.getInt("looked");
        return new Slice(
                looked,
                looked == 0 ? null : new Position(Queries.time(row, "last_time"), row.getLong("last_id")),
                row.getInt("fitting"),
                ids(row.getArray("found")));
    }

    private static List<Long> ids(@Nullable Array found) throws SQLException {
        return found == null ? List.of() : List.of((Long[]) Objects.requireNonNull(found.getArray()));
    }
}
