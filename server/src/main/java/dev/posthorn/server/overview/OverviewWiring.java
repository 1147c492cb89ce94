package dev.posthorn.server.overview;

import dev.posthorn.server.database.Database;
import dev.posthorn.server.rollup.Rollups;
import dev.posthorn.server.subscriptions.RelayKeeper;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Puts the parts of the overview together. */
@Configuration(proxyBeanMethods = false)
class OverviewWiring {

    @Bean
    AlertWatch alertWatch(MeterRegistry registry) {
        return new AlertWatch(registry);
    }

    @Bean
    Board board(AlertWatch watch) {
        return new Board(watch);
    }

    @Bean
    Overviews overviews(Database database, Board board, AlertWatch watch, Rollups rollups, RelayKeeper relay) {
        return new Overviews(board, watch, new GlanceReader(database, rollups), relay);
    }

    @Bean
    SubscriptionBoard subscriptionBoard(Overviews overviews, Rollups rollups, Database database) {
        return new SubscriptionBoard(overviews, rollups, database);
    }
}
