package dev.posthorn.server.access;

import dev.posthorn.event.Event;
import java.util.List;

/**
 * Who makes a call.
 *
 * @param name the name of the API key, or {@code local} where none is needed
 * @param payload whether the key was given the right to see payloads unmasked
 * @param scope what it may publish
 */
public record Caller(String name, Role role, boolean payload, Scope scope) {

    /** Whoever calls a hub that only this machine can reach, and that has no keys. */
    public static final Caller LOCAL = new Caller("local", Role.ADMIN);

    public Caller(String name, Role role) {
        this(name, role, false, Scope.ANY);
    }

    /** Whether nothing is masked for this caller. */
    public boolean seesPayloads() {
        return payload || role == Role.ADMIN;
    }

    /** Refuses what its key may not publish. */
    public void requireMayPublish(List<Event> events) {
        scope.require(name, events);
    }
}
