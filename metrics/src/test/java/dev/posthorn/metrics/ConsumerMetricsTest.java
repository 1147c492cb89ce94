package dev.posthorn.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.inbox.ConsumerListener.Partition;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConsumerMetricsTest {

    private static final Event EVENT =
            Event.builder().source("shop").type("order.placed").json("{}").build();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ConsumerMetrics metrics = new ConsumerMetrics(registry);

    private double count(String name, String consumer) {
        return registry.get("posthorn.consumer." + name)
                .tag("consumer", consumer)
                .counter()
                .count();
    }

    @Test
    void whatAConsumerDoesIsCounted() {
        Exception failure = new IllegalStateException("busy");
        metrics.processed("billing", 3);
        metrics.processed("billing", 4);
        metrics.processed("mail", 1);
        metrics.duplicates("billing", 2);
        metrics.retried("billing", EVENT, 1, failure, Duration.ofSeconds(1));
        metrics.deadLettered("billing", EVENT, 5, failure);

        assertThat(count("processed", "billing")).isEqualTo(7);
        assertThat(count("processed", "mail")).isEqualTo(1);
        assertThat(count("duplicates", "billing")).isEqualTo(2);
        assertThat(count("retried", "billing")).isEqualTo(1);
        assertThat(count("dead.lettered", "billing")).isEqualTo(1);
    }

    private double lag(String consumer, int partition) {
        return registry.get("posthorn.consumer.lag")
                .tags("consumer", consumer, "topic", "orders", "partition", Integer.toString(partition))
                .gauge()
                .value();
    }

    @Test
    void theLagOfEachPartitionIsWhatTheConsumerSaysItIs() {
        metrics.lag("billing", Map.of(new Partition("orders", 0), 7L));
        metrics.lag("mail", Map.of(new Partition("orders", 0), 100L));
        assertThat(lag("billing", 0)).isEqualTo(7);
        assertThat(lag("mail", 0)).isEqualTo(100);

        metrics.lag("billing", Map.of(new Partition("orders", 0), 0L));
        assertThat(lag("billing", 0)).isZero();
        metrics.lag("billing", Map.of(new Partition("orders", 0), 0L, new Partition("orders", 1), 5L));
        assertThat(lag("billing", 1)).isEqualTo(5);
    }

    @Test
    void aPartitionThatAnotherMemberGotIsNoLongerTold() {
        metrics.lag("billing", Map.of(new Partition("orders", 0), 7L, new Partition("orders", 1), 8L));
        metrics.lag("billing", Map.of(new Partition("orders", 1), 8L));

        assertThat(registry.get("posthorn.consumer.lag").gauges())
                .extracting(gauge -> gauge.getId().getTag("partition"))
                .containsExactly("1");
    }
}
