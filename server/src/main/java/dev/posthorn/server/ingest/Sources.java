package dev.posthorn.server.ingest;

import dev.posthorn.error.Requests;
import dev.posthorn.event.Event;
import dev.posthorn.event.EventIds;
import dev.posthorn.log.Queries;
import dev.posthorn.log.Sql;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.types.NameTable;
import dev.posthorn.server.types.SeenNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The sources that give events ids of their own. The log knows an event by a UUID made of both, so whoever asks by the id
 * alone is answered by trying them. An event of a source that came when there were too many is found with its source.
 */
public final class Sources {

    private static final int MOST_REMEMBERED = 10_000;

    private static final String ALL = "SELECT name FROM posthorn.event_source ORDER BY seen_at DESC LIMIT :most";

    private final Queries queries;
    private final Sql add;
    private final SeenNames known = new SeenNames(MOST_REMEMBERED);

    public Sources(Database database) {
        this.queries = database.queries();
        this.add = Sql.of(database.schema(), NameTable.SOURCES.add());
    }

    /**
     * What the log may know an event by: its UUID, or one made of the id that a source gave it; any source if none is
     * given. Of a UUID that is not name-based only a given source is asked: such a one is what the log knows it by, unless
     * another source had used it.
     */
    public List<UUID> candidates(String id, @Nullable String source) {
        UUID uuid = EventIds.uuid(id);
        if (uuid == null) {
            Requests.text("id", id, Requests.MAX_KEY);
            return named(id, source);
        }
        List<UUID> candidates = new ArrayList<>(List.of(uuid));
        if (source != null || EventIds.isNamed(uuid)) {
            candidates.addAll(named(id, source));
        }
        return candidates;
    }

    private List<UUID> named(String id, @Nullable String source) {
        return source == null ? ids(id) : List.of(EventIds.named(source, id));
    }

    /** Those of these events that are not known yet. */
    Set<String> unknown(List<Event> events) {
        Set<String> unknown = ConcurrentHashMap.newKeySet();
        for (Event event : events) {
            if (event.sourceId() != null && !known.contains(event.source())) {
                unknown.add(event.source());
            }
        }
        return unknown;
    }

    /** Adds them in the caller's transaction. */
    void add(Connection connection, Set<String> sources) throws SQLException {
        if (!sources.isEmpty()) {
            Map<String, Object> values =
                    Map.of("names", sources.toArray(String[]::new), "most", NameTable.SOURCES.most());
            try (PreparedStatement statement = add.prepare(connection, values)) {
                statement.executeUpdate();
            }
        }
    }

    /** They were committed. */
    void added(Set<String> sources) {
        known.addAll(sources);
    }

    /** What the log may know an event by that its source calls so. */
    public List<UUID> ids(String sourceId) {
        return queries
                .run(
                        "reading sources",
                        t -> t.list(ALL, Map.of("most", NameTable.SOURCES.most()), row -> row.getString("name")))
                .stream()
                .map(source -> EventIds.named(source, sourceId))
                .toList();
    }
}
