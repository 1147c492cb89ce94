package dev.posthorn.server.events;

import dev.posthorn.event.EventIds;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.ingest.Sources;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.status.EventPage;
import dev.posthorn.status.EventQuery;
import dev.posthorn.status.EventSearch;
import dev.posthorn.status.FullEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Finds events by whatever their callers know of them. */
@Component
class EventFinder {

    private final Database database;
    private final Sources sources;
    private final EventSearch search;

    EventFinder(Database database, Sources sources) {
        this.database = database;
        this.sources = sources;
        this.search = new EventSearch(database.looks(), database.schema());
    }

    EventPage find(EventQuery query) {
        database.requireReady();
        return search.find(query);
    }

    /** The events with that id, which is a UUID or the source's own: of that source, or of all. */
    List<FullEvent> all(String id, @Nullable String source) {
        database.requireReady();
        List<UUID> candidates = new ArrayList<>();
        UUID uuid = EventIds.uuid(id);
        if (uuid != null) {
            candidates.add(uuid);
        }
        candidates.addAll(source == null ? sources.ids(id) : List.of(EventIds.named(source, id)));
        return search.known(candidates).stream()
                .flatMap(known -> search.get(known, source).stream())
                .toList();
    }

    /** The event with that id, which is a UUID or the source's own; the source is needed only if several gave it. */
    FullEvent event(String id, @Nullable String source) {
        database.requireReady();
        UUID uuid = EventIds.uuid(id);
        Optional<FullEvent> found = uuid == null ? Optional.empty() : search.get(uuid, source);
        return found.or(() -> named(id, source)).orElseThrow(() -> unknown(id, source));
    }

    private Optional<FullEvent> named(String id, @Nullable String source) {
        return source == null ? ofAnySource(id) : search.get(EventIds.named(source, id), source);
    }

    private Optional<FullEvent> ofAnySource(String id) {
        List<UUID> ids = search.known(sources.ids(id));
        if (ids.size() > 1) {
            throw Problem.of(
                            ProblemType.CONFLICT,
                            "events of several sources have the id " + id + "; say which with source")
                    .asException();
        }
        return ids.isEmpty() ? Optional.empty() : search.get(ids.get(0), null);
    }

    private static RuntimeException unknown(String id, @Nullable String source) {
        return Problem.of(
                        ProblemType.NOT_FOUND,
                        "there is no event with id " + id + (source == null ? "" : " of source " + source)
                                + "; it was never recorded here, or longer ago than the log is kept"
                                + (source == null
                                        ? ". If an application recorded it under an id of its own, say source"
                                        : ""))
                .asException();
    }
}
