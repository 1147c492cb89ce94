package dev.posthorn.server.guard;

import org.jspecify.annotations.Nullable;

/**
 * What an operator has found out about a forward.
 *
 * @param decision ARRIVED: the target has it. REPEAT: it does not; forwarded when the event comes again. ABANDON: never
 *     forwarded
 * @param reason how that is known
 */
public record DecisionRequest(
        @Nullable Decision decision, @Nullable String reason) {}
