package dev.posthorn.server.overview;

import java.util.Locale;

/** What may be the matter with a subscription, the worst first. */
enum Ailment {
    /** A lane has no owner: nobody delivers. */
    NOT_SERVED,
    /** The receiver answers and refuses everything. */
    DENIAL,
    /** The receiver is not reached or does not answer. */
    BREAKER_OPEN,
    /** There are open dead letters. */
    DEAD_LETTERS,
    /** Its oldest event has waited for more than five minutes. */
    OLD_BACKLOG,
    /** More than a tenth of its attempts fail. */
    RETRIES,
    /** It is paused. */
    PAUSED;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
