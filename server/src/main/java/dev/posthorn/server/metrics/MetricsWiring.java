package dev.posthorn.server.metrics;

import dev.posthorn.metrics.RelayMetrics;
import dev.posthorn.server.database.Database;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Puts the metrics together. */
@Configuration(proxyBeanMethods = false)
class MetricsWiring {

    @Bean
    IngestMetrics ingestMetrics(MeterRegistry registry) {
        return new IngestMetrics(registry);
    }

    @Bean
    RelayMetrics relayMetrics(MeterRegistry registry) {
        return new RelayMetrics(registry);
    }

    @Bean
    GaugeKeeper gaugeKeeper(Database database, MeterRegistry registry) {
        return new GaugeKeeper(database, registry, GaugeKeeper.Timing.DEFAULT);
    }
}
