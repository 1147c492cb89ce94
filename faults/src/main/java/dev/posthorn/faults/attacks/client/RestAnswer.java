package dev.posthorn.faults.attacks.client;

/**
 * An answer of the hub.
 *
 * @param asksToRetry whether it has {@code Retry-After}
 */
public record RestAnswer(int status, boolean asksToRetry, String body) {

    public boolean isServed() {
        return status / 100 == 2;
    }

    /** Turned away in good order: told to come again, and when. */
    public boolean isShed() {
        return (status == 429 || status == 503) && asksToRetry;
    }

    @Override
    public String toString() {
        return "answers " + status + (asksToRetry ? " with Retry-After" : "");
    }
}
