package dev.posthorn.server.masking;

import org.jspecify.annotations.Nullable;

/**
 * What everybody may see of an event.
 *
 * @param payload all of the payload, some of it, or nothing
 * @param json the payload with its masked values replaced, if it is {@link Part#SOME}
 * @param echoes hides the masked values in what was said about the event
 */
public record Masked(Part payload, @Nullable String json, Echoes echoes) {

    static final Masked NOT = new Masked(Part.ALL, null, Echoes.NONE);
    static final Masked WHOLE = new Masked(Part.NOTHING, null, Echoes.ANYWHERE);

    /** How much of the payload it is. */
    public enum Part {
        ALL,
        SOME,
        NOTHING
    }

    static Masked some(MaskedJson.Result result) {
        return new Masked(Part.SOME, result.text(), Echoes.of(result.values()));
    }
}
