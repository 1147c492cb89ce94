package dev.posthorn.server.stream;

import io.swagger.v3.oas.annotations.Parameter;
import org.jspecify.annotations.Nullable;

/** Which recorded events are told, as in {@code GET /v1/events}: those that meet every field that is given. */
record TailFilter(
        @Parameter(description = "of events: exact, or a pattern with *") @Nullable
        String type,

        @Parameter(description = "of events: exact, or a pattern with *") @Nullable
        String source,

        @Parameter(description = "of events") @Nullable String key,

        @Parameter(description = "of events: only those that this subscription wants") @Nullable
        String subscription) {}
