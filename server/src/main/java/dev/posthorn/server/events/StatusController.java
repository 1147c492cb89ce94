package dev.posthorn.server.events;

import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.web.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** How is everything doing? */
@RestController
@Tag(name = "Status")
class StatusController {

    private final StatusReader reader;

    StatusController(StatusReader reader) {
        this.reader = reader;
    }

    @Operation(
            summary = "How the subscriptions are doing, their lanes, and who owns them",
            description =
                    "The subscriptions by name, in pages. Half a second old at most. Answers while the database is"
                            + " away, and says so.")
    @GetMapping(path = "/v1/status", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    HubStatus status(
            @Parameter(description = "1 to 1000, 1000 if left out") @RequestParam(defaultValue = "1000") String limit,
            @Parameter(description = "next of the page before") @RequestParam(required = false) @Nullable
                    String after) {
        return reader.status(new StatusReader.Asked(Page.from(after), Page.limit(limit)));
    }
}
