package dev.posthorn.audit;

import dev.posthorn.log.EventRow;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What was done by whom. It is only ever added to, and only by the transaction that does the thing. */
public final class Audit {

    /** Names and values of all details stand in a row, each with the number of the entry that it belongs to. */
    private static final String WRITE = """
            INSERT INTO posthorn.audit (actor, action, target, detail, count, reason, request_id)
            SELECT :actor, act.action, act.target, coalesce(its.detail, '{}'), act.count, act.reason, :request_id
              FROM unnest(:actions::text[], :targets::text[], :counts::bigint[], :reasons::text[]) WITH ORDINALITY
                       AS act (action, target, count, reason, number)
              LEFT JOIN (SELECT number, jsonb_object_agg(name, value) AS detail
                           FROM unnest(:numbers::bigint[], :names::text[], :values::text[]) AS of_act (number, name, value)
                          GROUP BY number) its USING (number)
             ORDER BY number
            """;

    /** One more than the page holds, to know whether there is another. */
    private static final String FIND = """
            SELECT a.id, a.done_at, a.actor, a.action, a.target, {detail} AS detail, a.count, a.reason, a.request_id
              FROM posthorn.audit a WHERE {condition}
             ORDER BY {order} LIMIT :page_size::bigint + 1
            """.replace("{detail}", EventRow.namesAndValues("a.detail"));

    private final Queries queries;

    public Audit(DataSource dataSource, SchemaName schema) {
        this.queries = new Queries(dataSource, schema);
    }

    /** Writes it down in the transaction that does it: both are committed, or neither. */
    public static void write(Queries.Transaction transaction, Actor actor, Act act) throws SQLException {
        write(transaction, actor, List.of(act));
    }

    /** The same of many, by one statement. */
    public static void write(Queries.Transaction transaction, Actor actor, List<Act> acts) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        List<String> names = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < acts.size(); i++) {
            long number = i + 1L;
            acts.get(i).detail().forEach((name, text) -> {
                numbers.add(number);
                names.add(name);
                texts.add(text);
            });
        }
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("actor", actor.name());
        values.put("request_id", actor.requestId());
        values.put("actions", acts.stream().map(Act::action).toArray(String[]::new));
        values.put("targets", acts.stream().map(Act::target).toArray(String[]::new));
        values.put("counts", acts.stream().map(Act::count).toArray(Long[]::new));
        values.put("reasons", acts.stream().map(Act::reason).toArray(String[]::new));
        values.put("numbers", numbers.toArray(Long[]::new));
        values.put("names", names.toArray(String[]::new));
        values.put("values", texts.toArray(String[]::new));
        transaction.update(WRITE, values);
    }

    /**
     * A page of entries, the newest first. What is written meanwhile comes before the first page. An entry's id is drawn
     * before its commit: one that was still being written when a later one was read is found when the list is begun anew.
     */
    public AuditPage find(AuditQuery query) {
        Map<String, Object> values = new HashMap<>(query.values());
        values.put("page_size", query.pageSize());
        String find = statement(query);
        List<AuditEntry> found = queries.run("reading the audit", t -> t.list(find, values, Audit::entry));
        if (found.size() <= query.pageSize()) {
            return new AuditPage(found, null);
        }
        List<AuditEntry> page = found.subList(0, query.pageSize());
        return new AuditPage(page, Long.toString(page.get(page.size() - 1).id()));
    }

    /** The statement for a query. */
    static String statement(AuditQuery query) {
        return FIND.replace("{condition}", query.condition()).replace("{order}", query.order());
    }

    private static AuditEntry entry(ResultSet row) throws SQLException {
        return new AuditEntry(
                row.getLong("id"),
                Queries.time(row, "done_at"),
                new Actor(row.getString("actor"), row.getString("request_id")),
                new Act(
                        row.getString("action"),
                        row.getString("target"),
                        EventRow.headers(row.getArray("detail")),
                        row.getObject("count", Long.class),
                        row.getString("reason")));
    }
}
