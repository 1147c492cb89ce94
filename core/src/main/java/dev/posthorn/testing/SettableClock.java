package dev.posthorn.testing;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.store.Ticker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still until it is moved: the process's, and if bound to a database also the one by which leases
 * end and times are stored there.
 */
public final class SettableClock implements InstantSource, Ticker {

    private static final String REPLACE = """
            CREATE TABLE IF NOT EXISTS posthorn.settable_clock (now timestamptz NOT NULL);
            TRUNCATE posthorn.settable_clock;
            INSERT INTO posthorn.settable_clock VALUES (clock_timestamp());
            CREATE OR REPLACE FUNCTION posthorn.clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
                AS $$ SELECT now FROM posthorn.settable_clock $$
            """;

    private static final String SET = "UPDATE posthorn.settable_clock SET now = '%s'";

    private volatile Instant now;
    private final @Nullable DataSource dataSource;
    private final SchemaName schema;

    private SettableClock(Instant start, @Nullable DataSource dataSource, SchemaName schema) {
        this.now = start;
        this.dataSource = dataSource;
        this.schema = schema;
        execute(REPLACE);
        set(start);
    }

    public static SettableClock at(Instant start) {
        return new SettableClock(start, null, SchemaName.DEFAULT);
    }

    /** Sets the database's clock too; its user has to own the schema. */
    public static SettableClock at(Instant start, DataSource dataSource, SchemaName schema) {
        return new SettableClock(start, dataSource, schema);
    }

    public synchronized void advance(Duration duration) {
        set(now.plus(duration));
    }

    public synchronized void set(Instant instant) {
        now = instant;
        execute(SET.formatted(instant));
    }

    private void execute(String sql) {
        if (dataSource == null) {
            return;
        }
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(schema.apply(sql));
        } catch (SQLException e) {
            throw PosthornException.database("setting the clock", e);
        }
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public long nanos() {
        Instant instant = now;
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }
}
