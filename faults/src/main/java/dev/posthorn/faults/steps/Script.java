package dev.posthorn.faults.steps;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.AfterDeadLetter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A small play in which everything happens that can happen to an event: what is recorded, what the receiver says to it,
 * and what came to the receiver. Thread-safe.
 */
final class Script {

    private static final int EVENTS_PER_KEY = 5;
    private static final int WITHOUT_KEY = 3;

    /** The events of each key that something happens to. */
    private static final Set<Integer> FAILING = Set.of(2, 4);

    private static final int DYING = 2;

    /** What happens to one event of a key; the key is named so. */
    enum Fate {
        /** Is taken, but the receiver is slow to say so, and the mark cannot pass it. */
        SLOW,
        /** Nothing. */
        TAKEN,
        /** Fails when it comes first. */
        RETRIED,
        /** Is rejected, and taken when it is replayed. */
        REPLAYED,
        /** Is rejected, also when it is replayed, and taken when it is replayed again. */
        RETURNED,
        /** Is rejected, and its key let go. */
        RELEASED,
        /** Is rejected and discarded. */
        DISCARDED;

        boolean isDelivered() {
            return this != RELEASED && this != DISCARDED;
        }

        boolean isRejected() {
            return isReplayed() || !isDelivered();
        }

        boolean isReplayed() {
            return this == REPLAYED || this == RETURNED;
        }
    }

    /** One event of the play. */
    private record Part(UUID id, @Nullable String key, int number, Fate fate) {}

    /** The receiver took it, from the relay of that number. */
    private record Taking(Part part, int relay) {}

    private final String source;
    private final AfterDeadLetter afterDeadLetter;
    private final Map<UUID, Part> parts = new HashMap<>();
    private final Set<UUID> arrived = new HashSet<>();
    private final Set<UUID> mended = new HashSet<>();
    private final List<Taking> takings = new ArrayList<>();
    private final Set<UUID> inDoubt = new HashSet<>();
    private int more;

    Script(String source, AfterDeadLetter afterDeadLetter) {
        this.source = source;
        this.afterDeadLetter = afterDeadLetter;
    }

    String source() {
        return source;
    }

    /** The first events of every key, or the rest of them. */
    synchronized List<Event> events(boolean first) {
        List<Event> events = new ArrayList<>();
        for (int number = first ? 1 : 4; number <= (first ? 3 : EVENTS_PER_KEY); number++) {
            for (Fate fate : Fate.values()) {
                boolean struck = fate == Fate.RETRIED ? FAILING.contains(number) : number == DYING;
                events.add(event(fate.name(), number, struck ? fate : Fate.TAKEN));
            }
        }
        for (int number = 1; first && number <= WITHOUT_KEY; number++) {
            events.add(event(null, number, number == DYING ? Fate.RETRIED : Fate.TAKEN));
        }
        return events;
    }

    /** One more to which nothing happens. */
    synchronized List<Event> oneMore() {
        return List.of(event(Fate.TAKEN.name(), EVENTS_PER_KEY + ++more, Fate.TAKEN));
    }

    private Event event(@Nullable String key, int number, Fate fate) {
        Event event = Event.builder()
                .source(source)
                .type("play")
                .key(key)
                .payload((key + " " + number).getBytes(UTF_8))
                .build();
        parts.put(event.id(), new Part(event.id(), key, number, fate));
        return event;
    }

    /**
     * What the receiver says.
     *
     * @param relay which one it comes from: 1, or 2 after the first one's end
     */
    synchronized Outcome arrive(UUID id, int relay) {
        Part part = part(id);
        boolean first = arrived.add(id);
        if (part.fate == Fate.RETRIED && first) {
            return new Outcome.Retry(ErrorClass.SERVER_ERROR, "not now");
        }
        if (part.fate.isRejected() && !mended.contains(id)) {
            return new Outcome.Reject(ErrorClass.INVALID, "never this one");
        }
        takings.add(new Taking(part, relay));
        return Outcome.DELIVERED;
    }

    synchronized Fate fate(UUID id) {
        return part(id).fate;
    }

    private Part part(UUID id) {
        Part part = parts.get(id);
        if (part == null) {
            throw new IllegalStateException("event " + id + " is not of " + source);
        }
        return part;
    }

    /** From now on the receiver takes it. */
    synchronized void mend(UUID id) {
        mended.add(id);
    }

    /** The first relay has ended. Only these events may come again. */
    synchronized void relayEnded(Set<UUID> mayComeAgain) {
        inDoubt.addAll(mayComeAgain);
    }

    synchronized boolean isAllTaken() {
        Set<UUID> taken = takings.stream().map(taking -> taking.part.id).collect(Collectors.toSet());
        return parts.values().stream().allMatch(part -> taken.contains(part.id) == part.fate.isDelivered());
    }

    synchronized long repeated() {
        return takings.size()
                - takings.stream().map(taking -> taking.part.id).distinct().count();
    }

    /** What was wrong with what came. */
    synchronized List<String> problems() {
        List<String> problems = new ArrayList<>();
        Map<UUID, Integer> takenFrom = new HashMap<>();
        Map<String, Integer> greatest = new HashMap<>();
        for (Taking taking : takings) {
            Part part = taking.part;
            Integer before = takenFrom.put(part.id, taking.relay);
            if (before != null) {
                addIf(problems, before == taking.relay, part, "came twice from the same relay");
                addIf(problems, !inDoubt.contains(part.id), part, "came again though it was settled");
            } else if (part.key != null && !isOutsideOrder(part)) {
                int last = greatest.getOrDefault(part.key, 0);
                addIf(problems, part.number < last, part, "came after " + last);
                greatest.put(part.key, Math.max(last, part.number));
            }
        }
        for (Part part : parts.values()) {
            addIf(problems, part.fate.isDelivered() && !takenFrom.containsKey(part.id), part, "never came");
            addIf(problems, !part.fate.isDelivered() && takenFrom.containsKey(part.id), part, "came");
        }
        return problems;
    }

    /** A dead letter that does not hold its key comes after what it did not hold. */
    private boolean isOutsideOrder(Part part) {
        return part.fate.isReplayed() && afterDeadLetter == AfterDeadLetter.CONTINUE;
    }

    private static void addIf(List<String> problems, boolean wrong, Part part, String what) {
        if (wrong) {
            problems.add(part.key + " " + part.number + " (" + part.fate + ") " + what);
        }
    }
}
