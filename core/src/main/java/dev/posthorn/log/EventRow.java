package dev.posthorn.log;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An event as a row of the log, or of a table that holds copies of such rows. */
public final class EventRow {

    /** What is carried through a query. */
    public static final String ROW =
            "seq, id, source_id, source, type, version, aggregate_type, key, content_type, payload,"
                    + " headers, occurred_at, created_at, deliver_at";

    /** What the client gets, before anything else it asks for: headers as a list of names and values in turn, so that it needs no JSON. */
    public static final String COLUMNS =
            "seq, id, source_id, source, type, version, aggregate_type, key, content_type, payload,"
                    + " CASE WHEN headers IS NOT NULL THEN " + namesAndValues("headers") + " END AS headers,"
                    + " occurred_at, created_at, deliver_at";

    /** A row of the same columns that holds no event. */
    static final String NOTHING = "NULL::bigint AS seq, NULL::uuid AS id, NULL AS source_id, NULL AS source,"
            + " NULL AS type, NULL::int AS version, NULL AS aggregate_type, NULL AS key, NULL AS content_type,"
            + " NULL::bytea AS payload, NULL::text[] AS headers, NULL::timestamptz AS occurred_at,"
            + " NULL::timestamptz AS created_at, NULL::timestamptz AS deliver_at";

    private EventRow() {}

    /** In SQL: flat JSON as the list that {@link #headers} takes apart. */
    public static String namesAndValues(String jsonb) {
        return "ARRAY(SELECT unnest(ARRAY[h.key, h.value]) FROM jsonb_each_text(" + jsonb + ") h)";
    }

    /** By place, because a look-up of each name is a good part of the cost of a row. */
    public static RecordedEvent read(ResultSet row) throws SQLException {
        Event event = new Event(
                row.getObject(2, UUID.class),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getInt(6),
                row.getString(7),
                row.getString(8),
                row.getString(9),
                row.getBytes(10),
                headers(row.getArray(11)),
                instant(row, 12),
                instant(row, 14));
        return new RecordedEvent(row.getLong(1), event, Objects.requireNonNull(instant(row, 13)));
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /** From a list of names and values in turn; null means none. */
    public static Map<String, String> headers(@Nullable Array namesAndValues) throws SQLException {
        if (namesAndValues == null) {
            return Map.of();
        }
        String[] list = (String[]) namesAndValues.getArray();
        Map<String, String> headers = new HashMap<>();
        for (int i = 0; i < list.length; i += 2) {
            headers.put(list[i], list[i + 1]);
        }
        return Map.copyOf(headers);
    }
}
