package dev.posthorn.server.metrics;

import dev.posthorn.metrics.PerSubscription;
import dev.posthorn.metrics.RelayMetrics;
import dev.posthorn.metrics.ShownSubscriptions;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.overview.Board;
import dev.posthorn.server.settings.HubSettings;
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
    ShownSubscriptions shownSubscriptions(HubSettings settings) {
        return new ShownSubscriptions(PerSubscription.of(settings.metrics().perSubscription()));
    }

    @Bean
    RelayMetrics relayMetrics(MeterRegistry registry, ShownSubscriptions shown) {
        return new RelayMetrics(registry, shown);
    }

    @Bean
    GaugeKeeper gaugeKeeper(Database database, MeterRegistry registry, ShownSubscriptions shown, Board board) {
        return new GaugeKeeper(database, registry, shown, GaugeKeeper.Timing.DEFAULT, board::take);
    }
}
