package dev.posthorn.server.events;

import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
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
            description = "Half a second old at most. Answers while the database is away, and says so.")
    @GetMapping(path = "/v1/status", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    HubStatus status() {
        return reader.status();
    }
}
