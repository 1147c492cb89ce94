package dev.posthorn.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {

    private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    @Test
    void aCallsTraceBecomesThatOfItsEvent() {
        assertThat(headers(PARENT, "vendor=1,other=2"))
                .isEqualTo(Map.of("traceparent", PARENT, "tracestate", "vendor=1,other=2"));
    }

    @Test
    void anEventsOwnTraceStaysUnmixed() {
        Map<String, String> headers = new HashMap<>(Map.of("Traceparent", "own"));
        TraceContext.of(PARENT, "vendor=1").addTo(headers);
        assertThat(headers).isEqualTo(Map.of("Traceparent", "own"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01more",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0\n"
            })
    void whatIsNoTraceIsLeftOut(String traceparent) {
        assertThat(headers(traceparent, "vendor=1")).isEmpty();
    }

    @Test
    void aLaterVersionMayHaveMoreParts() {
        String later = "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more";
        assertThat(headers(later, null)).isEqualTo(Map.of("traceparent", later));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nothing", "a=b\nc", "=x", "a=ü"})
    void aBadStateIsLeftOutAlone(String tracestate) {
        assertThat(headers(PARENT, tracestate)).isEqualTo(Map.of("traceparent", PARENT));
    }

    private static Map<String, String> headers(String traceparent, String tracestate) {
        Map<String, String> headers = new HashMap<>();
        TraceContext.of(traceparent, tracestate).addTo(headers);
        return headers;
    }
}
