package dev.posthorn.server.events;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Filter;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.documents.DocumentReader;
import dev.posthorn.server.subscriptions.definition.FilterDocument;
import dev.posthorn.status.RecentEvents;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Which events would a filter want? */
@RestController
@Tag(name = "Subscriptions")
class MatchController {

    private static final int LOOKED_AT = 1_000;
    private static final int MOST_TOLD = 20;

    private final Database database;
    private final RecentEvents events;
    private final DocumentReader reader;

    MatchController(Database database, DocumentReader reader) {
        this.database = database;
        this.events = new RecentEvents(database.looks(), database.schema());
        this.reader = reader;
    }

    /**
     * What is asked for.
     *
     * @param filter as a subscription has it; left out: all
     */
    record MatchRequest(@Nullable FilterDocument filter) {}

    /**
     * Which of the newest events the filter wants.
     *
     * @param looked how many were looked at: a thousand, or fewer if there are not so many
     * @param matched how many of them it wants
     * @param oldestAt when the oldest that was looked at was recorded; left out if there is none
     * @param sample the newest that it wants, twenty at most
     * @param types how many it wants of each type, the most frequent first; twenty types at most
     */
    record MatchAnswer(
            int looked, int matched, @Nullable Instant oldestAt, List<MatchedEvent> sample, List<MatchedType> types) {}

    /** One that it wants. */
    record MatchedEvent(
            UUID id,
            @Nullable String sourceId,
            String source,
            String type,
            @Nullable String key,
            Instant recordedAt) {

        static MatchedEvent of(RecordedEvent recorded) {
            Event event = recorded.event();
            return new MatchedEvent(
                    event.id(), event.sourceId(), event.source(), event.type(), event.key(), recorded.createdAt());
        }
    }

    /** A type of those that it wants. */
    record MatchedType(String type, int count) {}

    @Operation(summary = "Tell which of the newest 1,000 events a filter would want, before a subscription has it")
    @io.swagger.v3.oas.annotations.parameters.RequestBody(
            required = true,
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON_VALUE,
                            schema = @Schema(implementation = MatchRequest.class)))
    @PostMapping(
            path = "/v1/subscriptions/match",
            consumes = MediaType.APPLICATION_JSON_VALUE,
            produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    MatchAnswer match(@RequestBody(required = false) byte @Nullable [] body) {
        FilterDocument asked = reader.read(body == null ? new byte[0] : body, MatchRequest.class)
                .filter();
        Filter filter = asked == null ? Filter.ALL : asked.filter();
        database.requireReady();
        List<RecordedEvent> newest = events.newest(LOOKED_AT);
        List<RecordedEvent> wanted =
                newest.stream().filter(each -> filter.wants(each.event())).toList();
        return new MatchAnswer(
                newest.size(),
                wanted.size(),
                newest.isEmpty() ? null : newest.get(newest.size() - 1).createdAt(),
                wanted.stream().limit(MOST_TOLD).map(MatchedEvent::of).toList(),
                types(wanted));
    }

    private static List<MatchedType> types(List<RecordedEvent> wanted) {
        Map<String, Integer> counts = new TreeMap<>();
        wanted.forEach(each -> counts.merge(each.event().type(), 1, Integer::sum));
        return counts.entrySet().stream()
                .map(each -> new MatchedType(each.getKey(), each.getValue()))
                .sorted(Comparator.comparingInt(MatchedType::count).reversed())
                .limit(MOST_TOLD)
                .toList();
    }
}
