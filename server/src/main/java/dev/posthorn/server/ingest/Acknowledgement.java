package dev.posthorn.server.ingest;

/**
 * An event that is in the log.
 *
 * @param id its id as its source knows it
 * @param duplicate it was there before
 */
record Acknowledgement(String id, boolean duplicate) {

    static Acknowledgement of(Recorded recorded) {
        return new Acknowledgement(recorded.id(), recorded.duplicate());
    }
}
