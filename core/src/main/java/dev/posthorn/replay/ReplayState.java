package dev.posthorn.replay;

/** Where a replay stands. */
public enum ReplayState {
    /** Its items are being sent. */
    RUNNING,
    /** Its first items are done, and somebody has to say whether the others may go: resume or cancel it. */
    WAITING_FOR_GO,
    /** Nothing is sent until it is resumed. */
    PAUSED,
    /** Ended before its time; what was not sent by then is skipped. */
    CANCELLED,
    /** Every item is delivered, failed or skipped. */
    FINISHED;

    public boolean isEnded() {
        return this == CANCELLED || this == FINISHED;
    }

    /** What can be done in this state, for people to read. */
    String remedy() {
        return switch (this) {
            case RUNNING -> "it can be paused or cancelled, and its pace changed";
            case WAITING_FOR_GO -> "it can be resumed, which sends the rest, or cancelled, and its pace changed";
            case PAUSED -> "it can be resumed or cancelled, and its pace changed";
            case CANCELLED, FINISHED -> "it has ended and stays as it is; ask for a new replay of what is left";
        };
    }
}
