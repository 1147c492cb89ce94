package dev.posthorn.demo;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The database of whoever tries something, under a user who owns it and nothing else. */
record TrialDatabase(int port) {

    private static final String EXISTS = "SELECT FROM pg_database WHERE datname = 'shop'";
    private static final String CREATE_USER = "CREATE USER shop PASSWORD 'secret'";
    private static final String CREATE_DATABASE = "CREATE DATABASE shop OWNER shop";

    /** Makes it, unless it is there from an earlier time. */
    static TrialDatabase in(EmbeddedPostgres postgres) {
        try (Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            if (!exists(statement)) {
                statement.execute(CREATE_USER);
                statement.execute(CREATE_DATABASE);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("could not make the database shop: " + e.getMessage(), e);
        }
        return new TrialDatabase(postgres.port());
    }

    private static boolean exists(Statement statement) throws SQLException {
        try (ResultSet found = statement.executeQuery(EXISTS)) {
            return found.next();
        }
    }

    String jdbcUrl() {
        return "jdbc:postgresql://localhost:" + port + "/shop?user=shop&password=secret";
    }
}
