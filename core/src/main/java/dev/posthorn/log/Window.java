package dev.posthorn.log;

/** The events whose transaction had not ended in snapshot {@code a} and has ended in the later snapshot {@code b}. */
public record Window(Snapshot a, Snapshot b) {

    /** A lane's first window has no lower snapshot to go by. */
    public boolean isFirst() {
        return a.isNothing();
    }
}
