package dev.posthorn.relay.store;

/** Why an event has a delivery row. */
public enum DeliveryState {
    /** It failed, or somebody asked for it, and is sent when due. Its key waits for it. */
    WAITING,
    /** Its time has not come. Its key goes on. */
    DEFERRED,
    /** It waits behind an earlier event of its key. */
    HELD,
    /** It has none: a replay sends it again. Its key goes on. */
    REPLAYED
}
