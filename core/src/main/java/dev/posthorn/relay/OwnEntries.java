package dev.posthorn.relay;

import java.time.Duration;
import java.util.Set;

/** Inbox entries of these consumers, and for how long they are kept. */
record OwnEntries(Set<String> consumers, Duration age) {

    OwnEntries {
        consumers = Set.copyOf(consumers);
    }
}
