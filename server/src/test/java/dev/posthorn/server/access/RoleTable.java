package dev.posthorn.server.access;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Who may make which call: the table that the tests hold the hub against, and that docs/access.md shows. */
final class RoleTable {

    /** A call and the roles besides admin that may make it; {@code open} to all, with or without a key. */
    record Row(String method, String path, boolean open, Set<Role> roles) {

        String name() {
            return method + " " + path;
        }
    }

    /** The API. */
    static final List<Row> ROWS = rows("""
            GET    /v1/openapi.yaml                       | open
            GET    /v1/keys                               | admin
            POST   /v1/keys                               | admin
            DELETE /v1/keys/{name}                        | admin
            POST   /v1/events                             | publisher
            GET    /v1/events                             | viewer operator
            GET    /v1/events/{id}                        | viewer operator
            POST   /v1/events/{id}/defer                  | operator
            GET    /v1/audit                              | operator
            GET    /v1/dlt-messages                       | viewer operator
            GET    /dlt-messages                          | viewer operator
            GET    /v1/dlt-messages/groups                | viewer operator
            GET    /v1/dlt-messages/{id}                  | viewer operator
            PUT    /v1/dlt-messages/groups/note           | operator
            POST   /v1/dlt-messages/discard               | operator
            POST   /v1/dlt-messages/purge                 | operator
            POST   /v1/dlt-messages/{id}/release          | operator
            GET    /v1/me                                 | publisher viewer operator
            GET    /v1/overview                           | viewer operator
            GET    /v1/overview/subscriptions             | viewer operator
            GET    /v1/stream                             | viewer operator
            GET    /v1/status                             | viewer operator
            GET    /v1/status/counts                      | viewer operator
            GET    /v1/status/latency                     | viewer operator
            GET    /v1/status/near-last-attempt           | viewer operator
            GET    /v1/status/stuck                       | viewer operator
            GET    /v1/event-types                        | viewer operator
            GET    /v1/event-types/{name}                 | viewer operator
            PUT    /v1/event-types/{name}                 | admin
            DELETE /v1/event-types/{name}                 | admin
            GET    /v1/subscriptions                      | viewer operator
            POST   /v1/subscriptions                      | admin
            POST   /v1/subscriptions/check                | admin
            POST   /v1/subscriptions/match                | viewer operator
            GET    /v1/subscriptions/{name}               | viewer operator
            GET    /v1/subscriptions/{name}/attempts      | viewer operator
            GET    /v1/subscriptions/{name}/series        | viewer operator
            GET    /v1/subscriptions/{name}/revisions     | viewer operator
            PUT    /v1/subscriptions/{name}               | admin
            PATCH  /v1/subscriptions/{name}               | admin
            DELETE /v1/subscriptions/{name}               | admin
            POST   /v1/subscriptions/{name}/let-go        | operator
            POST   /v1/subscriptions/{name}/pause         | operator
            POST   /v1/subscriptions/{name}/resume        | operator
            POST   /v1/subscriptions/{name}/rotate-secret | admin
            POST   /v1/subscriptions/{name}/test          | operator
            GET    /v1/guards                             | viewer operator
            GET    /v1/guards/{name}                      | viewer operator
            PUT    /v1/guards/{name}                      | admin
            PATCH  /v1/guards/{name}                      | admin
            DELETE /v1/guards/{name}                      | admin
            GET    /v1/guards/{name}/forwards             | viewer operator
            GET    /v1/guards/{name}/forwards/{eventId}   | viewer operator
            POST   /v1/guards/{name}/forwards/{eventId}/decision | operator
            POST   /v1/guard/{name}                       | publisher
            POST   /v1/replay                             | operator
            POST   /replay                                | operator
            GET    /v1/replay                             | viewer operator
            GET    /v1/replay/{id}                        | viewer operator
            GET    /v1/replay/{id}/items                  | viewer operator
            PATCH  /v1/replay/{id}                        | operator
            POST   /v1/replay/{id}/pause                  | operator
            POST   /v1/replay/{id}/resume                 | operator
            POST   /v1/replay/{id}/cancel                 | operator
            """);

    /** Not of the API proper, and checked by a filter. */
    static final List<Row> ACTUATOR = rows("""
            GET    /actuator/health                       | open
            GET    /actuator/health/liveness              | open
            GET    /actuator/health/readiness             | open
            GET    /actuator/prometheus                   | viewer operator
            """);

    private RoleTable() {}

    private static List<Row> rows(String table) {
        return table.lines().map(RoleTable::row).toList();
    }

    private static Row row(String line) {
        String[] parts = line.trim().split("[ |]+");
        Set<Role> roles = Arrays.stream(parts)
                .skip(2)
                .filter(each -> !each.equals("open") && !each.equals("admin"))
                .map(each -> Role.valueOf(each.toUpperCase(java.util.Locale.ROOT)))
                .collect(Collectors.toSet());
        return new Row(parts[0], parts[1], parts[2].equals("open"), roles);
    }
}
