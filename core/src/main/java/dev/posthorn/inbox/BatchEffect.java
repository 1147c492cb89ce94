package dev.posthorn.inbox;

import java.sql.Connection;
import java.util.List;

/** What a consumer does about the fresh ones of many events, in the transaction of their inbox entries. */
@FunctionalInterface
public interface BatchEffect<I, E extends Exception> {

    /** Never called with none. */
    void apply(Connection connection, List<I> fresh) throws E;
}
