package dev.posthorn.server.events;

import dev.posthorn.server.web.Parameters;
import dev.posthorn.status.EventQuery;
import dev.posthorn.status.Status;
import io.swagger.v3.oas.annotations.Parameter;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which events, in the query of a URL: those that meet every field that is given. */
record EventFilter(
        @Parameter(
                description =
                        "the event's id, a UUID or the source's own: its events of all sources, or of source; goes with no other")
        @Nullable
        String id,

        @Parameter(description = "exact, or a pattern with *") @Nullable
        String type,

        @Parameter(description = "exact, or a pattern with *") @Nullable
        String source,

        @Nullable String key,

        @Parameter(description = "only events that this subscription wants") @Nullable
        String subscription,

        @Parameter(
                description = "PENDING or NEW, SENDING, HELD, DELIVERED or PROCESSED, FAILED, DISCARDED; of"
                        + " the subscription if one is given, else of any")
        @Nullable
        String status,

        @Parameter(description = "recorded at or after") @Nullable
        String from,

        @Parameter(description = "recorded before") @Nullable
        String to) {

    /** An id names what it names. */
    void requireIdAlone() {
        if (Stream.of(type, key, subscription, status, from, to).anyMatch(Objects::nonNull)) {
            throw Parameters.refused("id", "goes with source alone; leave the others out, or the id");
        }
    }

    EventQuery.Builder query() {
        EventQuery.Builder query = EventQuery.builder();
        Parameters.given(type, query::type);
        Parameters.given(source, query::source);
        Parameters.given(key, query::key);
        Parameters.given(subscription, query::subscription);
        Parameters.given(status, text -> query.status(Status.parse(text)));
        Parameters.given(from, text -> query.from(Parameters.time("from", text)));
        Parameters.given(to, text -> query.to(Parameters.time("to", text)));
        return query;
    }
}
