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
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
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
        this.audit = new Audit(database.looks(), database.schema());
    }

    @Operation(summary = "Find what was done by whom, the newest first")
    @GetMapping(path = "/v1/audit", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.OPERATOR, Role.ADMIN})
    Page<AuditItem> list(
            @ModelAttribute AuditFilter filter,
            @Parameter(description = "1 to 1000") @RequestParam(defaultValue = Page.DEFAULT_LIMIT) String limit,
            @Parameter(description = "next of the page before") @RequestParam(required = false) @Nullable
                    String after) {
        int size = Page.limit(limit);
        AuditQuery.Builder query = filter.query().pageSize(size);
        Parameters.given(after, text -> query.cursor(Long.toString(Parameters.place(text))));
        database.requireReady();
        return page(audit.find(query.build()));
    }

    private static Page<AuditItem> page(AuditPage found) {
        return new Page<>(
                found.entries().stream().map(AuditItem::of).toList(),
                found.cursor() == null ? null : PageToken.of(found.cursor()));
    }
}
