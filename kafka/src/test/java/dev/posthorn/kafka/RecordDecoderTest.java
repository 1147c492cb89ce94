package dev.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class RecordDecoderTest {

    /** Tracers, brokers and bridges add what they like, and the event is the event all the same. */
    @Test
    void aHeaderThatNoEventMayCarryIsLeftOutAndNotTheEvent() {
        ConsumerRecord<byte[], byte[]> record =
                new ConsumerRecord<>("topic", 0, 7, "k".getBytes(UTF_8), "{}".getBytes(UTF_8));
        Map<String, byte[]> headers = Map.of(
                "ce_id", "4711".getBytes(UTF_8),
                "ce_source", "shop".getBytes(UTF_8),
                "ce_type", "order.placed".getBytes(UTF_8),
                "tenant", "Köln".getBytes(UTF_8),
                "binary", new byte[] {0, 0, 1, 7},
                "no utf-8", new byte[] {(byte) 0xff, (byte) 0xfe},
                "not-utf-8", new byte[] {'a', (byte) 0xc3},
                "", "nameless".getBytes(UTF_8),
                "odd name\n", "x".getBytes(UTF_8));
        headers.forEach(record.headers()::add);
        record.headers().add("posthorn-replay", "7".getBytes(UTF_8)).add("Posthorn-Test", "true".getBytes(UTF_8));

        Event event = RecordDecoder.decode(record);

        assertThat(event.sourceId()).isEqualTo("4711");
        assertThat(event.headers()).containsOnly(Map.entry("tenant", "Köln"), Map.entry("posthorn-replay", "7"));
    }
}
