package dev.posthorn.benchmarks.hub;

/** One way to bring events into a database over several connections at once. */
interface Publishing extends AutoCloseable {

    /** Sends so many events over one of the connections, and returns when the last of them is known to be durable. */
    void publish(int connection, int events) throws Exception;

    /** Ends the connections. */
    @Override
    void close();
}
