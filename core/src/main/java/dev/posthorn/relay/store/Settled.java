package dev.posthorn.relay.store;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Outcome;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What came of a settle.
 *
 * @param done whether it is written; if not, another instance owns the lane
 * @param setAside events of which the database would not take what was to be written. They are dead letters now, and have
 *     no row: what the lane knows of them and of their keys is not true any more
 */
public record Settled(boolean done, List<SetAside> setAside) {

    public static final Settled DONE = new Settled(true, List.of());
    public static final Settled LOST = new Settled(false, List.of());

    public Settled {
        setAside = List.copyOf(setAside);
    }

    /**
     * An event of which the database did not take what was to be written.
     *
     * @param letter the event as its dead letter has it; null if it has none because it was delivered before
     */
    public record SetAside(
            long seq, @Nullable RecordedEvent letter, int attempts, Outcome.Failure failure, boolean holdsKey) {}

    public Set<Long> seqsSetAside() {
        return setAside.isEmpty()
                ? Set.of()
                : setAside.stream().map(SetAside::seq).collect(Collectors.toSet());
    }
}
