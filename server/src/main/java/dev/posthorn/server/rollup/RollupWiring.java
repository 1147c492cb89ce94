package dev.posthorn.server.rollup;

import dev.posthorn.server.database.Database;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Puts the parts of rollups together. */
@Configuration(proxyBeanMethods = false)
class RollupWiring {

    @Bean
    Tally tally() {
        return new Tally();
    }

    @Bean
    RollupKeeper rollupKeeper(Database database, Tally tally) {
        return new RollupKeeper(database, new RollupStore(database.queries()), tally);
    }

    @Bean
    Rollups rollups(Database database) {
        return new Rollups(database);
    }
}
