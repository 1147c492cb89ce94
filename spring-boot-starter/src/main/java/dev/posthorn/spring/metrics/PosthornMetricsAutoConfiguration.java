package dev.posthorn.spring.metrics;

import dev.posthorn.log.SchemaName;
import dev.posthorn.metrics.ConsumerMetrics;
import dev.posthorn.metrics.RelayMetrics;
import dev.posthorn.metrics.SubscriptionMetrics;
import dev.posthorn.relay.Relay;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import dev.posthorn.spring.setup.WatchedDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Counts what the relay and the consumers do, and reads how subscriptions are doing, if there is a meter registry. */
@AutoConfiguration(
        after = PosthornAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass({MeterRegistry.class, RelayMetrics.class})
@ConditionalOnBean(MeterRegistry.class)
public class PosthornMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RelayMetrics posthornRelayMetrics(MeterRegistry registry) {
        return new RelayMetrics(registry);
    }

    @Bean
    @ConditionalOnMissingBean
    ConsumerMetrics posthornConsumerMetrics(MeterRegistry registry) {
        return new ConsumerMetrics(registry);
    }

    /** Lazy, because only instances with a relay may read what it tells of. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    @ConditionalOnBean(WatchedDataSource.class)
    SubscriptionMetrics posthornSubscriptionMetrics(
            WatchedDataSource watched, ObjectProvider<SchemaName> schema, MeterRegistry registry) {
        return SubscriptionMetrics.builder(watched.dataSource(), registry)
                .schema(schema.getIfAvailable(() -> SchemaName.DEFAULT))
                .build();
    }

    @Bean
    MetricsReader posthornMetricsReader(
            ObjectProvider<SubscriptionMetrics> subscriptions, ObjectProvider<Relay> relay) {
        return new MetricsReader(SubscriptionMetrics.INTERVAL, () -> {
            if (relay.stream().findAny().isPresent()) {
                subscriptions.ifAvailable(SubscriptionMetrics::read);
            }
        });
    }
}
