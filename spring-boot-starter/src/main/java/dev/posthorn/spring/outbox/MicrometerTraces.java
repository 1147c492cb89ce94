package dev.posthorn.spring.outbox;

import dev.posthorn.event.Event;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The trace of Micrometer, in the headers that its propagator writes and reads. */
final class MicrometerTraces implements Traces {

    private final Tracer tracer;
    private final Propagator propagator;

    MicrometerTraces(Tracer tracer, Propagator propagator) {
        this.tracer = tracer;
        this.propagator = propagator;
    }

    @Override
    public Event onto(Event event) {
        TraceContext context = tracer.currentTraceContext().context();
        if (context == null || event.headers().containsKey("traceparent")) {
            return event;
        }
        Map<String, String> headers = new LinkedHashMap<>(event.headers());
        propagator.inject(context, headers, (all, name, value) -> {
            if (all != null) {
                all.putIfAbsent(name, value);
            }
        });
        return event.withHeaders(headers);
    }

    /** Of many events the first one's: a span has one parent. */
    @Override
    public AutoCloseable around(List<Event> events) {
        Event first = events.get(0);
        Span span = propagator
                .extract(first.headers(), (headers, name) -> headers.get(name))
                .name("handle " + first.type())
                .kind(Span.Kind.CONSUMER)
                .start();
        Tracer.SpanInScope scope = tracer.withSpan(span);
        return () -> {
            scope.close();
            span.end();
        };
    }
}
