package dev.posthorn.server.web;

import java.time.Duration;

/** When a caller that was turned away may come again. */
final class Retry {

    static final Duration SOON = Duration.ofSeconds(1);

    private Retry() {}
}
