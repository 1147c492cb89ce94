package dev.posthorn.subscription;

/** Whether a subscriber gets the events of a key one after the other. */
public enum Ordering {
    /** In the order of their commits, each after the one before was delivered or set aside. */
    KEY,
    /** As they come: one that fails keeps no other waiting. */
    NONE
}
