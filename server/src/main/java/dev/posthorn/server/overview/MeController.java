package dev.posthorn.server.overview;

import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.access.Gate;
import dev.posthorn.server.access.Role;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tells callers who they are. */
@RestController
@Tag(name = "Overview")
class MeController {

    private final Gate gate;
    private final Overviews overviews;

    MeController(Gate gate, Overviews overviews) {
        this.gate = gate;
        this.overviews = overviews;
    }

    /**
     * Who calls, and who answers.
     *
     * @param name of the API key, or local where none is needed
     * @param payload whether payloads are shown unmasked
     * @param keys whether the hub has keys, so that every call needs one
     * @param instance under which name the hub that answers delivers; left out if it does not, or not yet
     * @param version of the hub that answers
     */
    record MeAnswer(
            String name,
            Role role,
            boolean payload,
            boolean keys,
            @Nullable String instance,
            String version) {}

    @Operation(summary = "Who one is to the hub, and what one may do")
    @GetMapping(path = "/v1/me", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.PUBLISHER, Role.VIEWER, Role.OPERATOR})
    MeAnswer me(Caller caller) {
        return new MeAnswer(
                caller.name(),
                caller.role(),
                caller.seesPayloads(),
                gate.needsKeys(),
                overviews.instance(),
                Overviews.version());
    }
}
