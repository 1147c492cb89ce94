package dev.posthorn.faults.torture;

import dev.posthorn.faults.harness.Change;
import java.sql.SQLException;
import java.util.List;

/** A way of reading the log, right or wrong. Used by one thread. */
public interface Reader extends AutoCloseable {

    String name();

    /** Reads on. */
    Found read() throws SQLException;

    /** Whether this change is one of those it has to read. */
    default boolean wants(Change change) {
        return true;
    }

    /** Whether it may read this change, which it has read before, once more. */
    default boolean mayRepeat(Change change) {
        return false;
    }

    @Override
    void close() throws SQLException;

    /**
     * What one read found.
     *
     * @param more there may be more to read at once
     */
    record Found(List<Change> changes, boolean more) {

        public Found {
            changes = List.copyOf(changes);
        }
    }
}
