package dev.posthorn.subscription;

/** What becomes of a key when one of its events is a dead letter. */
public enum AfterDeadLetter {
    /** Its later events are delivered. */
    CONTINUE,
    /** Its later events are held until somebody has replayed, released or discarded the dead letter. */
    HOLD
}
