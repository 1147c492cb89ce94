package dev.posthorn.log;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What a thread of the relay asks of the database, on a connection that it keeps. Not thread-safe, but for
 * {@link #patience} and {@link #endIfStuck}.
 *
 * <p>A session opens its connection again after a failure. One that is {@link #bound()} does not: it ends with its
 * connection, until it is told to {@link #begin()} anew. A database that crashed, or another one that took its place,
 * gives transaction ids and sequence numbers out again that were seen before, so whoever goes on from what it has read
 * has to know that it is on another connection.
 */
public final class Session implements AutoCloseable {

    private final Link link;
    private final boolean bound;
    private long begun;

    public Session(DataSource dataSource, SchemaName schema) {
        this(new Link(dataSource, schema), false);
    }

    private Session(Link link, boolean bound) {
        this.link = link;
        this.bound = bound;
    }

    /** A session on the same connection that ends with it. */
    public Session bound() {
        return new Session(link, true);
    }

    /** Begins, or begins anew: what was read before on another connection is worth nothing from here on. */
    public void begin() {
        begun = opening();
    }

    /** Which of its connections it is on, opened if there is none: another number is another connection. */
    public long opening() {
        return runOn("connecting", open -> link.openings());
    }

    /** Whether it is still on the connection that it began with. */
    public boolean isCurrent() {
        return !bound || (link.isOpen() && link.openings() == begun);
    }

    /** Work on the session's connection. */
    public interface Work<T extends @Nullable Object> {
        T run(Connection connection) throws SQLException;
    }

    /** What to do with the rows of a query. */
    public interface Reading<T extends @Nullable Object> {
        T from(ResultSet rows) throws SQLException;
    }

    /** How long it waits for an answer from now on; otherwise ten seconds. From any thread. */
    public Session patience(Duration patience) {
        link.patience(patience);
        return this;
    }

    /** Cuts the connection of whoever uses the session for much longer than its patience. From any thread. */
    public void endIfStuck() {
        link.endIfStuck();
    }

    public SchemaName schema() {
        return link.schema();
    }

    /** The statement of this text, parsed once however many sessions are on the connection. */
    public Sql sql(String text) {
        return link.sql(text);
    }

    /** The statements that read what such a lane wants, made once for all lanes alike. */
    LogStatements reads(LaneScope scope) {
        return link.reads(scope);
    }

    /** Runs one query by itself. */
    public <T extends @Nullable Object> T query(
            String what, Sql sql, Map<String, ? extends @Nullable Object> values, Reading<T> reading) {
        return run(what, open -> {
            try (ResultSet rows = prepare(open, sql, values).executeQuery()) {
                return reading.from(rows);
            }
        });
    }

    /** Runs one change by itself and tells how many rows it met. */
    public int update(String what, Sql sql, Map<String, ? extends @Nullable Object> values) {
        return run(what, open -> prepare(open, sql, values).executeUpdate());
    }

    /** Runs several statements as one transaction. */
    public <T extends @Nullable Object> T transaction(String what, Work<T> work) {
        return run(what, open -> {
            open.setAutoCommit(false);
            T result = work.run(open);
            open.commit();
            open.setAutoCommit(true);
            return result;
        });
    }

    /** The statement, prepared once per connection, with its values bound. */
    public PreparedStatement prepare(Connection open, Sql sql, Map<String, ? extends @Nullable Object> values)
            throws SQLException {
        PreparedStatement statement = link.prepare(open, sql);
        sql.bind(statement, values);
        return statement;
    }

    private <T extends @Nullable Object> T run(String what, Work<T> work) {
        if (!isCurrent()) {
            throw new PosthornException(
                    ErrorCode.DATABASE, what + " failed: the connection was lost, and with it what was read there");
        }
        return runOn(what, work);
    }

    private <T extends @Nullable Object> T runOn(String what, Work<T> work) {
        try {
            return link.use(work);
        } catch (SQLException e) {
            throw PosthornException.database(what, e);
        }
    }

    /** Gives the connection back as it came. */
    @Override
    public void close() {
        link.close();
    }
}
