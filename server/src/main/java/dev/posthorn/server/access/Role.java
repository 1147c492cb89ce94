package dev.posthorn.server.access;

import java.util.Locale;

/** What an API key is for. */
public enum Role {
    /** An application that publishes. */
    PUBLISHER,
    /** Somebody who looks. */
    VIEWER,
    /** Somebody who looks and deals with trouble. */
    OPERATOR,
    /** Somebody who sets things up, and may do everything. */
    ADMIN;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
