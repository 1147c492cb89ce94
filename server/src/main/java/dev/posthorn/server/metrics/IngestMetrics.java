package dev.posthorn.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;

/** Counts events that come in, for whoever takes them. */
public final class IngestMetrics {

    /** How an event came. */
    public enum Protocol {
        REST,
        GRPC
    }

    /** What became of it at the door. */
    public enum Outcome {
        /** It is in the log now. */
        RECORDED,
        /** It was there before. */
        DUPLICATE,
        /** It cannot be read, breaks a rule, or its id has another body. */
        REFUSED,
        /** The hub or its database could not take it. */
        UNAVAILABLE
    }

    private final MeterRegistry registry;

    /** All counters are there from the start, so that an alert can tell none from unknown. */
    public IngestMetrics(MeterRegistry registry) {
        this.registry = registry;
        for (Protocol protocol : Protocol.values()) {
            for (Outcome outcome : Outcome.values()) {
                count(protocol, outcome, 0);
            }
        }
    }

    /** So many events of a call ended like this. */
    public void count(Protocol protocol, Outcome outcome, int events) {
        registry.counter("posthorn.ingested", "protocol", label(protocol), "outcome", label(outcome))
                .increment(events);
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
