package dev.posthorn.embedded.postgres;

import java.sql.SQLException;

final class Sql {
    private Sql() {}

    static void run(EmbeddedPostgres postgres, String... statements) throws SQLException {
        try (var connection = postgres.dataSource().getConnection();
                var statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    static String one(EmbeddedPostgres postgres, String query) throws SQLException {
        try (var connection = postgres.dataSource().getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }
}
