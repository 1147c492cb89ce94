package dev.posthorn.relay.front;

import dev.posthorn.log.Mark;

/** An event that the front has handed out. It holds the front back until everybody who has it has settled it. */
public final class Handed {

    private final Trail trail;
    private final long number;
    private final Mark before;
    private final long since;
    private int holders;

    /**
     * @param number how many the front had handed out, this one included
     * @param before the mark of whoever has settled all that is in front of it
     */
    Handed(Trail trail, long number, Mark before, long since) {
        this.trail = trail;
        this.number = number;
        this.before = before;
        this.since = since;
    }

    public long number() {
        return number;
    }

    Mark before() {
        return before;
    }

    public long since() {
        return since;
    }

    void hold() {
        holders++;
        trail.changeHeld(1);
    }

    /** One that had it has settled it, or is not carried any more. */
    public void release() {
        holders--;
        trail.changeHeld(-1);
    }

    boolean isHeld() {
        return holders > 0;
    }
}
