package dev.posthorn.webhook;

import java.sql.Connection;

/** What a receiver does about a webhook. Called from several threads. */
@FunctionalInterface
public interface Work {

    /**
     * Has the effect in the transaction of the event's inbox entry: neither commits nor rolls back. What it throws rolls
     * the transaction back and makes the sender try again.
     */
    void run(Connection connection, Webhook webhook) throws Exception;
}
