package dev.posthorn.server.ingest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class DigestTest {

    private static final Instant TIME = Instant.parse("2026-11-15T18:30:00.123456789Z");

    private final Digest digest = new Digest();

    @Test
    void theSameContentHasTheSameDigestWhateverWasDigestedBefore() {
        byte[] first = of(event -> event.key("a"));
        of(event -> event.key("b"));
        assertThat(of(event -> event.key("a"))).isEqualTo(first).hasSize(16);
        assertThat(new Digest().of(sample().key("a").build())).isEqualTo(first);
    }

    @Test
    void everyFieldCounts() {
        List<Consumer<Event.Builder>> changes = List.of(
                event -> {},
                event -> event.source("other"),
                event -> event.type("other"),
                event -> event.version(2),
                event -> event.aggregateType("other"),
                event -> event.key("other"),
                event -> event.contentType("text/plain"),
                event -> event.payload("other".getBytes(UTF_8)),
                event -> event.header("name", "value"),
                event -> event.header("name", "other"),
                event -> event.occurredAt(TIME),
                event -> event.occurredAt(TIME.plusNanos(1_000)),
                event -> event.deliverAt(TIME));
        assertThat(changes.stream().map(change -> new String(of(change), ISO_8859_1)))
                .doesNotHaveDuplicates();
    }

    @Test
    void fieldsDoNotRunIntoEachOther() {
        assertThat(of(event -> event.source("a").type("bc")))
                .isNotEqualTo(of(event -> event.source("ab").type("c")));
        assertThat(of(event -> event.header("a", "bc"))).isNotEqualTo(of(event -> event.header("ab", "c")));
        assertThat(of(event -> event.header("a", "b").payload("c".getBytes(UTF_8))))
                .isNotEqualTo(of(event -> event.payload("1:a1:bc".getBytes(UTF_8))));
        assertThat(of(event -> event.occurredAt(Instant.ofEpochSecond(12, 3_000))))
                .isNotEqualTo(of(event -> event.occurredAt(Instant.ofEpochSecond(1, 23_000))));
    }

    @Test
    void theTraceContextAndTheOrderOfHeadersDoNotCount() {
        byte[] plain = of(event -> event.header("a", "1").header("b", "2"));
        assertThat(of(event -> event.header("b", "2").header("a", "1"))).isEqualTo(plain);
        assertThat(of(event -> event.header("a", "1")
                        .header("b", "2")
                        .traceparent("00-x")
                        .header("tracestate", "y")))
                .isEqualTo(plain);
    }

    private byte[] of(Consumer<Event.Builder> change) {
        Event.Builder event = sample();
        change.accept(event);
        return digest.of(event.build());
    }

    private static Event.Builder sample() {
        return Event.builder().source("s").type("t").json("{}");
    }
}
