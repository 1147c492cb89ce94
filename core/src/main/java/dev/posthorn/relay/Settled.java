package dev.posthorn.relay;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Outcome;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What came of a settle.
 *
 * @param done whether it is written; if not, another instance owns the lane
 * @param setAside events of which the database would not take what was to be written. They are dead letters now, without
 *     a row: what the lane knows of them and of their keys is not true any more
 */
record Settled(boolean done, List<SetAside> setAside) {

    static final Settled DONE = new Settled(true, List.of());
    static final Settled LOST = new Settled(false, List.of());

    Settled {
        setAside = List.copyOf(setAside);
    }

    /** @param event as its dead letter has it, perhaps without its payload */
    record SetAside(RecordedEvent event, int attempts, Outcome.Failure failure, boolean holdsKey) {}

    Set<Long> seqsSetAside() {
        return setAside.stream().map(each -> each.event().seq()).collect(Collectors.toSet());
    }
}
