package dev.posthorn.spring;

import dev.posthorn.event.EventLimits;

/** The library's outbox, and the limits that it checks when it writes, to be checked when an event is recorded. */
record OutboxSettings(dev.posthorn.Outbox outbox, EventLimits limits) {

    static OutboxSettings of(PosthornProperties properties) {
        PosthornProperties.Outbox outbox = properties.outbox();
        EventLimits limits = outbox.limits();
        return new OutboxSettings(
                dev.posthorn.Outbox.builder()
                        .schema(properties.schema().name())
                        .limits(limits)
                        .lockKeys(outbox.lockKeys())
                        .commitDurably(outbox.commitDurably())
                        .build(),
                limits);
    }
}
