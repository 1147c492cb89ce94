package dev.posthorn.kafka.consumer;

/** Where events go that no handler takes. */
interface DeadLetterTarget extends AutoCloseable {

    /** Keeps the record with what was tried. If it throws, the record is not kept, and this is called again later. */
    void keep(FetchedRecord fetched) throws Exception;

    @Override
    default void close() {}
}
