package dev.posthorn.status;

/** A running relay that serves a subscription, whether it owns a lane of it or not. */
public record ServingInstance(String subscription, String instance) {}
