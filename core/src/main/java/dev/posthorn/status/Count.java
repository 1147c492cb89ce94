package dev.posthorn.status;

/** A number that says whether it was counted or estimated. */
public record Count(long value, boolean exact) {

    static Count exactly(long value) {
        return new Count(value, true);
    }

    static Count about(long value) {
        return new Count(Math.max(0, value), false);
    }

    Count plus(long more) {
        return new Count(value + more, exact);
    }

    @Override
    public String toString() {
        return exact ? Long.toString(value) : "about " + value;
    }
}
