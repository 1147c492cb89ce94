package dev.posthorn.server.events;

import dev.posthorn.status.Count;
import dev.posthorn.status.StatusCounts;

/**
 * How many events of a subscription are in which status.
 *
 * @param waiting of the pending ones, those to be sent again, or deferred
 * @param delivered always an estimate
 */
record CountsItem(
        String subscription,
        Count pending,
        Count waiting,
        Count sending,
        Count held,
        Count delivered,
        Count failed,
        Count discarded) {

    static CountsItem of(String subscription, StatusCounts counts) {
        return new CountsItem(
                subscription,
                counts.pending(),
                counts.waiting(),
                counts.sending(),
                counts.held(),
                counts.delivered(),
                counts.failed(),
                counts.discarded());
    }
}
