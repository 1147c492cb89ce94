package dev.posthorn.status;

/**
 * How many events of a subscription are in which status.
 *
 * @param pending those not yet handed to the sink, and those waiting for their time; exact up to a bound
 * @param waiting of the pending ones, those that failed before or are deferred
 * @param sending exact to one mark interval
 * @param delivered from the receipts that are kept, so always an estimate
 */
public record StatusCounts(
        Count pending, Count waiting, Count sending, Count held, Count delivered, Count failed, Count discarded) {

    public Count of(Status status) {
        return switch (status) {
            case PENDING -> pending;
            case SENDING -> sending;
            case HELD -> held;
            case DELIVERED -> delivered;
            case FAILED -> failed;
            case DISCARDED -> discarded;
        };
    }
}
