package dev.posthorn.server.events;

import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
import dev.posthorn.server.web.Parameters;
import dev.posthorn.status.EventPage;
import dev.posthorn.status.EventQuery;
import dev.posthorn.status.FullEvent;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Where is my event? */
@RestController
@Tag(name = "Events")
class SearchController {

    private final EventFinder finder;
    private final EventViews views;

    SearchController(EventFinder finder, EventViews views) {
        this.finder = finder;
        this.views = views;
    }

    @Operation(
            summary = "Find events, the newest first",
            description = "A page may be short, or empty, although more events follow: a search looks at a bounded part"
                    + " of the log at a time. Only a missing next is the end.")
    @GetMapping(path = "/v1/events", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    Page<EventItem> list(
            @ModelAttribute EventFilter filter,
            @Parameter(description = "1 to 1000, 100 if left out") @RequestParam(required = false) @Nullable
                    String limit,
            @Parameter(description = "next of the page before") @RequestParam(required = false) @Nullable
                    String after) {
        if (filter.id() != null) {
            filter.requireIdAlone();
            return new Page<>(
                    finder.all(filter.id(), filter.source()).stream()
                            .map(EventItem::of)
                            .toList(),
                    null);
        }
        EventQuery.Builder query = filter.query();
        Parameters.given(limit, text -> query.pageSize(Parameters.number("limit", text)));
        Parameters.given(after, text -> query.after(Parameters.place(text)));
        return page(finder.find(query.build()));
    }

    private static Page<EventItem> page(EventPage found) {
        return new Page<>(
                found.events().stream().map(EventItem::of).toList(),
                found.next() == null ? null : PageToken.of(Long.toString(found.next())));
    }

    @Operation(
            summary = "One event with its payload, and what has become of it for each subscription",
            description = "If several sources gave the same id, say which with source. What the event's type masks is"
                    + " shown only to keys that see payloads.")
    @GetMapping(path = "/v1/events/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    EventDetail get(
            @PathVariable String id,
            @RequestParam(required = false) @Nullable String source,
            @Parameter(
                            description =
                                    "false leaves the payload out; text gives JSON as dataText, a text, in place of data")
                    @RequestParam(defaultValue = "true")
                    String payload,
            Caller caller) {
        Payload.Form form = Payload.Form.of(payload);
        FullEvent event = finder.event(id, source);
        return EventDetail.of(event, views.of(event.event().event(), caller, form));
    }
}
