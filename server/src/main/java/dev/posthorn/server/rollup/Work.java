package dev.posthorn.server.rollup;

/**
 * What was done in some time.
 *
 * @param failed attempts that failed, the last one of a dead letter among them
 */
public record Work(long delivered, long failed, long deadLettered) {

    public static final Work NONE = new Work(0, 0, 0);

    public Work plus(Work more) {
        return new Work(delivered + more.delivered, failed + more.failed, deadLettered + more.deadLettered);
    }

    /** Which part of the attempts failed; not a number if there were none. */
    public double errorRate() {
        return (double) failed / (delivered + failed);
    }
}
