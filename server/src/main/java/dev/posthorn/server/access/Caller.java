package dev.posthorn.server.access;

/**
 * Who makes a call.
 *
 * @param name the name of the API key, or {@code local} where none is needed
 */
public record Caller(String name, Role role) {

    /** Whoever calls a hub that only this machine can reach, and that has no keys. */
    public static final Caller LOCAL = new Caller("local", Role.ADMIN);
}
