package dev.posthorn.benchmarks.testbed;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import java.sql.SQLException;

/** A durable PostgreSQL of the benchmark's own, tuned as one would for load; the same for both sides. */
public final class Server implements AutoCloseable {

    private final EmbeddedPostgres postgres;

    private Server(EmbeddedPostgres postgres) {
        this.postgres = postgres;
    }

    public static Server start() {
        return new Server(EmbeddedPostgres.builder()
                .setting("shared_buffers", "512MB")
                // A checkpoint in the middle of one side's round would make that side look slow.
                .setting("max_wal_size", "8GB")
                .setting("checkpoint_timeout", "1h")
                .start());
    }

    /** A new database without Posthorn in it. */
    public Database createEmpty(String name) throws SQLException {
        new Database(postgres.dataSource()).execute("CREATE DATABASE " + name);
        return new Database(postgres.dataSource(name));
    }

    /** A new database with Posthorn's schema. */
    public Database create(String name) throws SQLException {
        Database database = createEmpty(name);
        new Schema(SchemaName.DEFAULT).install(database.dataSource());
        return database;
    }

    public void drop(String name) throws SQLException {
        new Database(postgres.dataSource()).execute("DROP DATABASE " + name + " WITH (FORCE)");
    }

    public String jdbcUrl(String name) {
        return postgres.jdbcUrl(name);
    }

    public String user() {
        return postgres.user();
    }

    public String password() {
        return postgres.password();
    }

    public long processId() {
        return postgres.processId();
    }

    @Override
    public void close() {
        postgres.close();
    }
}
