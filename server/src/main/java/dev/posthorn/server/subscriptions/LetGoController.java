package dev.posthorn.server.subscriptions;

import dev.posthorn.audit.Actor;
import dev.posthorn.error.Requests;
import dev.posthorn.relay.retention.LetGo;
import dev.posthorn.relay.retention.RetentionKeeper;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.documents.DocumentReader;
import dev.posthorn.server.web.OutboundLimit;
import dev.posthorn.server.web.Parameters;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Tells a subscription that keeps old events in the log to let go of them. */
@RestController
@Tag(name = "Subscriptions")
class LetGoController {

    private final Database database;
    private final RetentionKeeper retention;
    private final DocumentReader reader;
    private final OutboundLimit outbound;

    LetGoController(Database database, RetentionKeeper retention, DocumentReader reader, OutboundLimit outbound) {
        this.database = database;
        this.retention = retention;
        this.reader = reader;
        this.outbound = outbound;
    }

    /**
     * What is asked for.
     *
     * @param reason why; needed unless it is a dry run
     * @param dryRun whether to count only; left out: false
     */
    record LetGoRequest(@Nullable String reason, @Nullable Boolean dryRun) {}

    /**
     * What comes of it.
     *
     * @param below the place in the log below which it lets go; left out if it holds nothing
     * @param events how many events become dead letters, but for such as are delivered meanwhile
     * @param exact whether they were counted to the end; if not there are more
     * @param reason why there is nothing to let go of
     */
    record LetGoAnswer(
            @Nullable Long below,
            long events,
            boolean exact,
            @Nullable String reason) {

        static LetGoAnswer of(LetGo found) {
            return found instanceof LetGo.Below below
                    ? new LetGoAnswer(below.seq(), below.events(), below.exact(), null)
                    : new LetGoAnswer(null, 0, true, ((LetGo.NothingHeld) found).why());
        }
    }

    @Operation(
            summary = "Let go of the old events that a subscription keeps in the log",
            description =
                    "Those that it has not settled, of the partitions that are older than the retention, become its dead"
                            + " letters, and the log can be cut. 202: its lanes do it as they come to it, also while it is"
                            + " paused. 200: a dry run, which only counts. 409: there is nothing to let go of.")
    @io.swagger.v3.oas.annotations.parameters.RequestBody(
            required = true,
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON_VALUE,
                            schema = @Schema(implementation = LetGoRequest.class)))
    @Allowed({Role.OPERATOR})
    @PostMapping(
            path = "/v1/subscriptions/{name}/let-go",
            consumes = MediaType.APPLICATION_JSON_VALUE,
            produces = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<LetGoAnswer> letGo(
            @PathVariable String name, @RequestBody(required = false) byte @Nullable [] body, Actor actor) {
        LetGoRequest request = reader.read(Objects.requireNonNullElse(body, new byte[0]), LetGoRequest.class);
        database.requireReady();
        if (Boolean.TRUE.equals(request.dryRun())) {
            return ResponseEntity.ok(
                    LetGoAnswer.of(outbound.on("events to be counted", () -> retention.previewLetGo(name))));
        }
        String reason = request.reason();
        if (reason == null || reason.isBlank()) {
            throw Parameters.refused(
                    "reason", "is missing; what is let go of becomes dead letters undelivered: say why");
        }
        LetGo done = outbound.on("events to be counted", () -> retention.letGo(name, actor, reason));
        if (done instanceof LetGo.NothingHeld nothing) {
            throw Requests.conflict(nothing.why());
        }
        return ResponseEntity.status(HttpStatus.ACCEPTED).body(LetGoAnswer.of(done));
    }
}
