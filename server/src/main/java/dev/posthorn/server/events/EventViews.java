package dev.posthorn.server.events;

import dev.posthorn.event.Event;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.masking.Masked;
import dev.posthorn.server.masking.Masker;
import dev.posthorn.server.types.EventTypes;
import java.util.Objects;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The one place that decides what a caller sees of an event's payload, and of what was said about it. */
@Component
public class EventViews {

    private final Masker masker;
    private final EventTypes types;
    private final JsonMapper mapper;

    EventViews(Masker masker, EventTypes types, JsonMapper mapper) {
        this.masker = masker;
        this.types = types;
        this.mapper = mapper;
    }

    /**
     * What that caller sees of that event.
     *
     * @param form how its payload is wanted
     */
    public EventView of(Event event, Caller caller, Payload.Form form) {
        if (caller.seesPayloads()) {
            return EventView.unmasked(form == Payload.Form.NONE ? Payload.LEFT_OUT : whole(event, form));
        }
        Masked masked = masker.mask(event);
        return new EventView(
                form == Payload.Form.NONE ? Payload.LEFT_OUT : payload(event, masked, form), masked.echoes()::hiddenIn);
    }

    private Payload whole(Event event, Payload.Form form) {
        return Payload.unmasked(event, types.decoded(event), form, mapper);
    }

    private Payload payload(Event event, Masked masked, Payload.Form form) {
        return switch (masked.payload()) {
            case ALL -> whole(event, form);
            case SOME -> Payload.of(Objects.requireNonNull(masked.json()), form);
            case NOTHING -> Payload.HIDDEN;
        };
    }
}
