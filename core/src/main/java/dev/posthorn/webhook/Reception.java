package dev.posthorn.webhook;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What to answer to a webhook.
 *
 * @param text for the sender, who keeps it with the attempt: it says nothing about secrets or about why work failed
 * @param retryAfter when the sender had better try again, if it is to; null if that is its own affair
 */
public record Reception(Kind kind, String text, @Nullable Duration retryAfter) {

    /** What became of it, and the status that says so. */
    public enum Kind {
        /** It had its effect now. */
        PROCESSED(200),
        /** It had had it before. */
        DUPLICATE(200),
        /** It is a sample, which has no effect. */
        SAMPLE(200),
        /** Something is missing, or not readable. */
        MALFORMED(400),
        /** Nobody who knows a secret has signed it, or not just now. */
        REFUSED(401),
        TOO_LARGE(413),
        /** The work threw something: nothing has happened, and it is to come again. */
        FAILED(500),
        /** The database did not do it: nothing has happened, and it is to come again. */
        UNAVAILABLE(503);

        private final int status;

        Kind(int status) {
            this.status = status;
        }
    }

    static Reception of(Kind kind, String text) {
        return new Reception(kind, text, null);
    }

    public int status() {
        return kind.status;
    }

    /** Whether the event has had its effect, now or before. */
    public boolean isDone() {
        return kind == Kind.PROCESSED || kind == Kind.DUPLICATE;
    }
}
