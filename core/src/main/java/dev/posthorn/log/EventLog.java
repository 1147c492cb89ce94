package dev.posthorn.log;

/** The log as one lane sees it: the events that its subscription wants and that belong to its share of the keys. */
public interface EventLog {

    /**
     * Reads on from the cursor.
     *
     * @param limit how many events at most
     * @param bytes stop once the payloads read so far reach this (at least one event is read)
     */
    Batch read(Cursor cursor, int limit, long bytes);
}
