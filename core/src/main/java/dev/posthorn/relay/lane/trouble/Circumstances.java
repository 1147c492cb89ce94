package dev.posthorn.relay.lane.trouble;

/**
 * How its lane stood when an attempt failed.
 *
 * @param late whether the breaker had opened since it was made, so that it says nothing new about the receiver
 * @param denied whether the receiver refuses everything, so that it says nothing about the event
 * @param alone whether events go one at a time: then what failed waits, or it would come before all others for ever
 */
public record Circumstances(boolean late, boolean denied, boolean alone) {}
