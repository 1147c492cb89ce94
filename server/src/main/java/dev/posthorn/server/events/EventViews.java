package dev.posthorn.server.events;

import dev.posthorn.event.Event;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.masking.Masked;
import dev.posthorn.server.masking.Masker;
import java.util.Objects;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The one place that decides what a caller sees of an event's payload, and of what was said about it. */
@Component
public class EventViews {

    private final Masker masker;
    private final JsonMapper mapper;

    EventViews(Masker masker, JsonMapper mapper) {
        this.masker = masker;
        this.mapper = mapper;
    }

    /**
     * What that caller sees of that event.
     *
     * @param payload whether it is wanted
     */
    public EventView of(Event event, Caller caller, boolean payload) {
        if (caller.seesPayloads()) {
            return EventView.unmasked(payload ? Payload.unmasked(event, mapper) : Payload.LEFT_OUT);
        }
        Masked masked = masker.mask(event);
        return new EventView(payload ? payload(event, masked) : Payload.LEFT_OUT, masked.echoes()::hiddenIn);
    }

    private Payload payload(Event event, Masked masked) {
        return switch (masked.payload()) {
            case ALL -> Payload.unmasked(event, mapper);
            case SOME -> Payload.masked(Objects.requireNonNull(masked.json()));
            case NOTHING -> Payload.HIDDEN;
        };
    }
}
