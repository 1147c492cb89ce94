package dev.posthorn.spring.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.spring.shop.Shop;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The trace in which an event was recorded is the one in which it is handled. */
class TracesTest {

    private final Tracer tracer = Shop.bean(Tracer.class);
    private final Traces traces = Shop.bean(Traces.class);

    private static Event event(String type) {
        return Event.builder().source("test").type(type).json("{}").build();
    }

    private TraceContext current() {
        return Objects.requireNonNull(tracer.currentTraceContext().context());
    }

    @Test
    void whatHandlesAnEventIsOfTheTraceThatRecordedIt() throws Exception {
        Span recording = tracer.nextSpan().start();
        Event first;
        try (Tracer.SpanInScope scope = tracer.withSpan(recording)) {
            assertThat(scope).isNotNull();
            first = traces.onto(event("order.placed"));
        } finally {
            recording.end();
        }
        try (AutoCloseable handling = traces.around(List.of(first, event("of.no.trace")))) {
            assertThat(handling).isNotNull();
            assertThat(current().traceId()).isEqualTo(recording.context().traceId());
            assertThat(current().spanId())
                    .as("a span of its own")
                    .isNotEqualTo(recording.context().spanId());
        }
        assertThat(tracer.currentTraceContext().context()).as("and it ends").isNull();
    }

    @Test
    void anEventOfNoTraceBeginsOne() throws Exception {
        Span other = tracer.nextSpan().start();
        other.end();
        try (AutoCloseable handling = traces.around(List.of(event("order.placed")))) {
            assertThat(handling).isNotNull();
            assertThat(current().traceId()).isNotEqualTo(other.context().traceId());
        }
        assertThat(tracer.currentTraceContext().context()).isNull();
    }

    @Test
    void whatIsRecordedWhileAnEventIsHandledGoesOnWithItsTrace() throws Exception {
        String traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        Event taken = event("order.placed").withHeaders(Map.of("traceparent", traceparent));
        try (AutoCloseable handling = traces.around(List.of(taken))) {
            assertThat(handling).isNotNull();
            assertThat(traces.onto(event("order.booked")).headers().get("traceparent"))
                    .startsWith("00-0af7651916cd43dd8448eb211c80319c-")
                    .isNotEqualTo(traceparent);
        }
    }
}
