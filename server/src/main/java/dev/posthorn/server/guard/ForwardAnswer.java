package dev.posthorn.server.guard;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of an event that came to a guard.
 *
 * @param eventId by which the hub knows it
 * @param id by which its source knows it
 * @param attempt how many requests there have been
 * @param instance the hub that sent the last one
 * @param begunAt when that was
 * @param status what the target answered
 * @param reply the beginning of its answer
 * @param errorClass what kind of failure it was
 * @param decision what an operator decided last
 */
public record ForwardAnswer(
        UUID eventId,
        String id,
        String source,
        String type,
        ForwardState state,
        int attempt,
        String instance,
        Instant begunAt,
        Instant changedAt,
        @Nullable Integer status,
        @Nullable String reply,
        @Nullable String errorClass,
        @Nullable String reason,
        @Nullable DecisionAnswer decision) {

    /** What an operator decided. */
    public record DecisionAnswer(
            Decision decision, String by, @Nullable String reason, Instant at) {}

    static ForwardAnswer of(Forward forward) {
        Forward.Decided decided = forward.decided();
        return new ForwardAnswer(
                forward.eventId(),
                forward.sourceId() == null ? forward.eventId().toString() : forward.sourceId(),
                forward.source(),
                forward.type(),
                forward.state(),
                forward.attempt(),
                forward.instance(),
                forward.begunAt(),
                forward.changedAt(),
                forward.status(),
                forward.reply(),
                forward.errorClass(),
                forward.reason(),
                decided == null
                        ? null
                        : new DecisionAnswer(decided.decision(), decided.by(), decided.reason(), decided.at()));
    }
}
