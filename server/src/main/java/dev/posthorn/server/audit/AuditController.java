package dev.posthorn.server.audit;

import dev.posthorn.audit.Audit;
import dev.posthorn.audit.AuditPage;
import dev.posthorn.audit.AuditQuery;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
import dev.posthorn.server.web.Parameters;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Who did what? */
@RestController
@Tag(name = "Audit")
class AuditController {

    private final Database database;
    private final Audit audit;

    AuditController(Database database) {
        this.database = database;
        this.audit = new Audit(database.calls(), database.schema());
    }

    @Operation(summary = "Find what was done by whom, the newest first")
    @GetMapping(path = "/v1/audit", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.OPERATOR, Role.ADMIN})
    Page<AuditItem> list(
            @RequestParam(required = false) @Nullable String actor,
            @Parameter(description = "exact, or all that begin so if it ends with a dot: replay.")
                    @RequestParam(required = false)
                    @Nullable
                    String action,
            @Parameter(description = "exact, or all of a kind if it ends with a slash: subscription/")
                    @RequestParam(required = false)
                    @Nullable
                    String target,
            @RequestParam(required = false) @Nullable String requestId,
            @Parameter(description = "done at or after") @RequestParam(required = false) @Nullable String from,
            @Parameter(description = "done before") @RequestParam(required = false) @Nullable String to,
            @Parameter(description = "1 to 1000") @RequestParam(defaultValue = Page.DEFAULT_LIMIT) String limit,
            @Parameter(description = "next of the page before") @RequestParam(required = false) @Nullable
                    String after) {
        AuditQuery.Builder query = AuditQuery.builder().pageSize(Page.limit(limit));
        given(actor, query::actor);
        given(action, query::action);
        given(target, query::target);
        given(requestId, query::requestId);
        given(from, text -> query.from(Parameters.time("from", text)));
        given(to, text -> query.to(Parameters.time("to", text)));
        given(after, text -> query.cursor(Long.toString(Parameters.place(text))));
        database.requireReady();
        return page(audit.find(query.build()));
    }

    private static void given(@Nullable String text, Consumer<String> field) {
        if (text != null) {
            field.accept(text);
        }
    }

    private static Page<AuditItem> page(AuditPage found) {
        return new Page<>(
                found.entries().stream().map(AuditItem::of).toList(),
                found.cursor() == null ? null : PageToken.of(found.cursor()));
    }
}
