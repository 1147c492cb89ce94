package dev.posthorn.server.types;

import dev.posthorn.error.Nearest;
import dev.posthorn.event.Event;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.json.ContentTypes;
import dev.posthorn.server.masking.MaskedTypes;
import dev.posthorn.server.masking.Masks;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.settings.HubSettings.EventTypeMode;
import dev.posthorn.server.types.EventTypeStore.Head;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Checks events against their types, which it holds in memory and reads again when one was changed. Publishers choose the
 * names of types, so of those about which nobody said anything only the latest names are held. Thread-safe.
 */
public final class EventTypes implements MaskedTypes {

    private static final Logger log = LoggerFactory.getLogger(EventTypes.class);

    private static final int MOST = 20;

    /** Beyond so many names, to find the one that was meant would cost more than the call itself. */
    private static final int MOST_COMPARED = 1_000;

    private final EventTypeStore store;
    private final EventTypeMode mode;
    private final JsonMapper json;
    private final CheckLimit room = new CheckLimit();
    private final SeenNames seen = new SeenNames(NameTable.TYPES.most());
    private volatile @Nullable Map<String, KnownType> known;

    EventTypes(EventTypeStore store, EventTypeMode mode, JsonMapper json, Changes changes) {
        this.store = store;
        this.mode = mode;
        this.json = json;
        changes.read(Changes.Topic.EVENT_TYPES, this::read);
    }

    /**
     * Refuses all of them if one breaks a rule; of what is wrong, it tells up to twenty.
     *
     * @param except the places of those that are not looked at
     */
    public void check(List<Event> events, Set<Integer> except) {
        Set<String> unknown = new LinkedHashSet<>();
        check(events, except, known(), unknown);
        if (!unknown.isEmpty()) {
            store.seen(unknown);
            // Somebody else may have registered them in the meantime, and said more about them.
            if (store.anyDefined(unknown)) {
                read();
                check(events, except, known(), new LinkedHashSet<>());
            }
            unknown.removeAll(known().keySet());
            seen.addAll(unknown);
        }
    }

    private void check(List<Event> events, Set<Integer> except, Map<String, KnownType> types, Set<String> unknown) {
        List<Violation> found = new ArrayList<>();
        for (int i = 0; i < events.size() && found.size() < MOST; i++) {
            if (except.contains(i)) {
                continue;
            }
            Integer item = events.size() == 1 ? null : Integer.valueOf(i);
            for (Violation violation : violations(events.get(i), types, unknown)) {
                found.add(new Violation(item, violation.field(), violation.rule()));
            }
        }
        if (!found.isEmpty()) {
            throw Problem.violated(ProblemType.INVALID_EVENT, found.subList(0, Math.min(MOST, found.size())))
                    .asException();
        }
    }

    private List<Violation> violations(Event event, Map<String, KnownType> types, Set<String> unknown) {
        KnownType type = types.get(event.type());
        if (type != null) {
            return type.violations(event);
        }
        if (mode == EventTypeMode.STRICT) {
            return List.of(Violation.of("type", notRegistered(event.type(), types.keySet())));
        }
        if (!seen.contains(event.type())) {
            unknown.add(event.type());
        }
        return List.of();
    }

    private static String notRegistered(String type, Set<String> registered) {
        String meant = registered.size() > MOST_COMPARED ? "" : Nearest.question(type, registered);
        return "'" + type + "' is not registered; " + meant + "an admin registers it with PUT /v1/event-types/" + type;
    }

    @Override
    public Masks masks(String type) {
        KnownType found = known().get(type);
        return found == null ? Masks.NONE : found.masks();
    }

    /** The data of a Protobuf event as JSON; null if its type describes no message that it is. */
    public @Nullable String decoded(Event event) {
        KnownType found = known().get(event.type());
        return found == null || ContentTypes.isJson(event.contentType())
                ? null
                : found.payload().json(event);
    }

    private Map<String, KnownType> known() {
        if (known == null) {
            read();
        }
        return Objects.requireNonNull(known);
    }

    /** Reads what was changed since, and makes new checks of that alone. */
    private synchronized void read() {
        Map<String, KnownType> before = known == null ? Map.of() : known;
        Map<String, KnownType> now = new HashMap<>();
        List<String> changed = new ArrayList<>();
        for (Head head : mode == EventTypeMode.STRICT ? store.heads() : store.definedHeads()) {
            KnownType same = before.get(head.name());
            if (same != null
                    && same.revision() == head.revision()
                    && same.createdAt().equals(head.createdAt())) {
                now.put(head.name(), same);
            } else {
                changed.add(head.name());
            }
        }
        if (!changed.isEmpty()) {
            store.find(changed).forEach(type -> now.put(type.name(), KnownType.of(type, check(type))));
        }
        known = Map.copyOf(now);
        // One that was deleted is registered by its next event.
        seen.clear();
    }

    /** What was stored was checked then; if it no longer can be used, its events are turned away, and no others. */
    private PayloadCheck check(EventType type) {
        try {
            PayloadCheck check = KnownType.check(type.definition(), json);
            return check == PayloadCheck.ANY ? check : room.within(check);
        } catch (ProblemException e) {
            log.error("The event type {} cannot be used: {}. Its events are refused", type.name(), e.getMessage());
            return event -> List.of(Violation.of(
                    "type", "'" + event.type() + "' is registered with a definition that cannot be used; put it anew"));
        }
    }
}
