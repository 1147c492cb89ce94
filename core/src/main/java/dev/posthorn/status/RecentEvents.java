package dev.posthorn.status;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.EventRow;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The end of the log, for those who watch: what came last, without payloads. */
public final class RecentEvents {

    /** How many of the newest events are looked at for those that are new; beyond, it is only told that there were more. */
    private static final int MOST_LOOKED_AT = 5_000;

    private static final String ONE_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";

    private static final String WITHOUT_PAYLOAD = EventRow.ROW.replace("payload", "''::bytea AS payload");

    private static final String NEWEST =
            """
            SELECT {columns} FROM (SELECT {row} FROM posthorn.event ORDER BY seq DESC LIMIT :limit) e ORDER BY seq DESC
            """.replace("{columns}", EventRow.COLUMNS).replace("{row}", WITHOUT_PAYLOAD);

    private static final String NOW = "SELECT pg_current_snapshot()::text";

    /**
     * By transaction, since one that commits late has lower numbers than what was seen before. Transactions of eras before this
     * one compare with nothing. Beyond the most that is looked at, one that was open for long may be missed.
     */
    private static final String NEW = """
            SELECT {columns} FROM (
                SELECT {row} FROM (
                    SELECT * FROM posthorn.event
                     WHERE txid >= pg_snapshot_xmin(:seen::pg_snapshot)
                       AND seq > (SELECT floor_seq FROM posthorn.cluster)
                     ORDER BY txid DESC, seq DESC LIMIT :looked) l
                 WHERE NOT pg_visible_in_snapshot(l.txid, :seen::pg_snapshot)
                 ORDER BY l.txid DESC, l.seq DESC) e
            """.replace("{columns}", EventRow.COLUMNS).replace("{row}", WITHOUT_PAYLOAD);

    private final Queries queries;

    public RecentEvents(DataSource dataSource, SchemaName schema) {
        this.queries = new Queries(dataSource, schema);
    }

    /** So many of the newest events, the newest first. */
    public List<RecordedEvent> newest(int limit) {
        return queries.run(
                "reading the newest events",
                t -> t.walkingIndexes().list(NEWEST, Map.of("limit", limit), EventRow::read));
    }

    /**
     * What was committed between two looks.
     *
     * @param events in the order in which they are delivered; the newest of them
     * @param skipped how many more there were at least
     * @param place where the next look goes on
     */
    public record News(List<RecordedEvent> events, long skipped, String place) {

        public News {
            events = List.copyOf(events);
        }
    }

    /**
     * What was committed since that look, so many events at most.
     *
     * @param place of the look before; null: nothing is told but where the next one goes on
     */
    public News since(@Nullable String place, int most) {
        return queries.run("looking for new events", t -> {
            t.update(ONE_MOMENT, Map.of());
            String now = t.first(NOW, Map.of(), row -> row.getString(1)).orElseThrow();
            if (place == null || place.equals(now)) {
                return new News(List.of(), 0, now);
            }
            Map<String, Object> values = Map.of("seen", place, "looked", MOST_LOOKED_AT);
            List<RecordedEvent> found = new ArrayList<>(t.walkingIndexes().list(NEW, values, EventRow::read));
            List<RecordedEvent> told = new ArrayList<>(found.subList(0, Math.min(most, found.size())));
            Collections.reverse(told);
            return new News(told, found.size() - told.size(), now);
        });
    }
}
