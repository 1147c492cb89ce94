package dev.posthorn.faults.crash;

/** A way in which a primary dies. */
public enum CrashKind {
    /** SIGKILL, and a start on the same files. */
    CRASH(false, false),
    /** The same while there is nothing to deliver, so that lanes read on and have nothing to settle. */
    IDLE_CRASH(false, true),
    /** SIGKILL, and its stand-by, which had lagged, takes over. */
    FAILOVER(true, false),
    IDLE_FAILOVER(true, true);

    private final boolean failover;
    private final boolean idle;

    CrashKind(boolean failover, boolean idle) {
        this.failover = failover;
        this.idle = idle;
    }

    boolean isFailover() {
        return failover;
    }

    boolean isIdle() {
        return idle;
    }

    @Override
    public String toString() {
        return (idle ? "idle " : "") + (failover ? "failovers" : "crashes");
    }
}
