package dev.posthorn.server.subscriptions;

import java.util.Locale;

/** Who serves a subscription, if that is not the hub by a document of its own. */
public enum ServedBy {
    /** An application's own relay in the same database, which alone knows its sink and its settings. */
    APPLICATION;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
