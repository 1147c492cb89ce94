package dev.posthorn.server.stream;

import dev.posthorn.log.EventRow;
import dev.posthorn.log.Filter;
import dev.posthorn.log.Queries;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

/** Reads which recorded events somebody wants to be told of. */
final class Tails {

    private static final String FILTER = """
            SELECT g.types, g.aggregate_types, g.sources, {headers} AS headers
              FROM posthorn.subscription s
              JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
             WHERE s.name = :name
            """.replace("{headers}", EventRow.namesAndValues("g.headers"));

    private final Database database;
    private final Queries queries;

    Tails(Database database) {
        this.database = database;
        this.queries = new Queries(database.looks(), database.schema());
    }

    TailMatch match(TailFilter asked) {
        Filter fields = Filter.ALL;
        if (asked.type() != null) {
            fields = Filter.types(asked.type());
        }
        if (asked.source() != null) {
            fields = fields.sources(asked.source());
        }
        return new TailMatch(
                fields, asked.key(), asked.subscription() == null ? Filter.ALL : filter(asked.subscription()));
    }

    private Filter filter(String subscription) {
        database.requireReady();
        return queries.run(
                        "looking for subscription " + subscription,
                        t -> t.first(FILTER, Map.of("name", subscription), Tails::filter))
                .orElseThrow(() -> Problem.of(ProblemType.NOT_FOUND, "there is no subscription '" + subscription + "'")
                        .asException());
    }

    private static Filter filter(ResultSet row) throws SQLException {
        return Filter.ofLikePatterns(
                (String[]) row.getArray("types").getArray(),
                (String[]) row.getArray("aggregate_types").getArray(),
                (String[]) row.getArray("sources").getArray(),
                EventRow.headers(row.getArray("headers")));
    }
}
