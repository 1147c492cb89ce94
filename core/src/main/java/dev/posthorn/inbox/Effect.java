package dev.posthorn.inbox;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** What a consumer does about an event, in the transaction of the inbox entry. */
@FunctionalInterface
public interface Effect<T extends @Nullable Object, E extends Exception> {

    T apply(Connection connection) throws E;
}
