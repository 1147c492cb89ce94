package dev.posthorn.server.audit;

import dev.posthorn.audit.AuditQuery;
import dev.posthorn.server.web.Parameters;
import io.swagger.v3.oas.annotations.Parameter;
import org.jspecify.annotations.Nullable;

/** Which entries, in the query of a URL: those that meet every field that is given. */
record AuditFilter(
        @Nullable String actor,

        @Parameter(description = "exact, or all that begin so if it ends with a dot: replay.") @Nullable
        String action,

        @Parameter(description = "exact, or all of a kind if it ends with a slash: subscription/") @Nullable
        String target,

        @Nullable String requestId,

        @Parameter(description = "done at or after") @Nullable
        String from,

        @Parameter(description = "done before") @Nullable String to) {

    AuditQuery.Builder query() {
        AuditQuery.Builder query = AuditQuery.builder();
        Parameters.given(actor, query::actor);
        Parameters.given(action, query::action);
        Parameters.given(target, query::target);
        Parameters.given(requestId, query::requestId);
        Parameters.given(from, text -> query.from(Parameters.time("from", text)));
        Parameters.given(to, text -> query.to(Parameters.time("to", text)));
        return query;
    }
}
