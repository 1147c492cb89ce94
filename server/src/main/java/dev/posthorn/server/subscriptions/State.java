package dev.posthorn.server.subscriptions;

import java.util.Locale;

/** How a subscription stands. */
public enum State {
    /** It is served. */
    ACTIVE,
    /** It is paused, but some instance has yet to see that, or has something of it on its way. */
    PAUSING,
    /** Nothing of it is sent until somebody resumes it. */
    PAUSED,
    /** It is served as before; the filter and the number of lanes that it has now take effect in a moment. */
    PENDING,
    /** It is served no more and goes as soon as no instance has anything of it under way. */
    DELETING,
    /** Its secrets cannot be decrypted, so that it is not served. */
    LOCKED,
    /** It cannot be served as it is. */
    INVALID;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
