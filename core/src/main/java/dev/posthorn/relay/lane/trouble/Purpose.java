package dev.posthorn.relay.lane.trouble;

/** Why an event is sent. */
public enum Purpose {
    /** So that it arrives. */
    DELIVERY,
    /** To see whether the receiver takes events; its failure counts, if an attempt is due. */
    PROBE,
    /** To see whether the receiver takes events; its failure does not count. */
    TRIAL
}
