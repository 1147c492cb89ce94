package dev.posthorn.relay.retention;

import java.time.Duration;
import java.util.Set;

/** Inbox entries of these consumers, and for how long they are kept. */
public record OwnEntries(Set<String> consumers, Duration age) {

    public OwnEntries {
        consumers = Set.copyOf(consumers);
    }
}
