package dev.posthorn.server.stream;

import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Recheck;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.overview.OverviewTick;
import dev.posthorn.server.replay.ReplayAnswer;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Tells what happens as it happens. */
@RestController
@Tag(name = "Stream", description = "What happens, told as it happens")
class StreamController {

    private final Listeners listeners;
    private final Tails tails;

    StreamController(Listeners listeners, Tails tails) {
        this.listeners = listeners;
        this.tails = tails;
    }

    @Operation(
            summary = "Watch: server-sent events of what happens in the hub",
            description =
                    "Each message has an id, an event (hello, overview, subscriptions, dead-letters, replay, events) and JSON"
                            + " as data, whose schemas are named here. A comment comes at least every 15 seconds. After a pause"
                            + " send the id of the last message as Last-Event-ID: what was missed is told if it is known, and"
                            + " hello says whether it is. The stream ends when the key is revoked, when the hub ends, and when"
                            + " its reader is too slow; begin again then. 503 if posthorn.stream.listeners watch already.")
    @ApiResponse(
            responseCode = "200",
            description = "The messages, for as long as one listens",
            content =
                    @Content(
                            mediaType = MediaType.TEXT_EVENT_STREAM_VALUE,
                            schema =
                                    @Schema(
                                            oneOf = {
                                                StreamMessages.Hello.class,
                                                OverviewTick.class,
                                                StreamMessages.SubscriptionsChanged.class,
                                                StreamMessages.DeadLettersChanged.class,
                                                ReplayAnswer.class,
                                                StreamMessages.EventsRecorded.class
                                            })))
    @GetMapping(path = "/v1/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    @Allowed({Role.VIEWER, Role.OPERATOR})
    void watch(
            @Parameter(
                            description =
                                    "which, with commas: overview, subscriptions, dead-letters, replays, events; left out:"
                                            + " all but events")
                    @RequestParam(required = false)
                    @Nullable
                    String topics,
            @ModelAttribute TailFilter filter,
            @RequestHeader(name = "Last-Event-ID", required = false) @Nullable String lastEventId,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        Set<Topic> wanted = Topic.of(topics);
        TailMatch match = tails.match(filter);
        listeners.takePlace();
        Listener listener;
        try {
            listener = listener(wanted, match, request, response);
        } catch (IOException | RuntimeException e) {
            listeners.giveBack();
            throw e;
        }
        listeners.join(listener, lastEventId);
        listener.begin();
        listener.checkAgain();
    }

    private Listener listener(
            Set<Topic> wanted, TailMatch match, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
        response.setCharacterEncoding(StandardCharsets.UTF_8);
        // A proxy that gathers answers would tell nothing until the stream ends.
        response.setHeader("X-Accel-Buffering", "no");
        AsyncContext call = request.startAsync(request, response);
        call.setTimeout(0);
        return new Listener(call, wanted, match, Recheck.of(request), listeners::leave);
    }
}
