package dev.posthorn.inbox;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Who begins and ends the transactions in which a consumer has its effects. */
public interface Transactions {

    /**
     * Runs the work in a transaction of its own, which is committed when the work returns and rolled back when it throws.
     * It may run more than once; only one of these runs is committed.
     */
    <T extends @Nullable Object, E extends Exception> T run(Effect<T, E> work) throws E;

    /** On connections of a data source, and repeated after a serialization failure or a deadlock. */
    static Transactions over(DataSource dataSource) {
        return new ManagedTransactions(dataSource);
    }
}
