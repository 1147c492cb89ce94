package dev.posthorn.server.stream;

import dev.posthorn.server.access.Gate;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.overview.Overviews;
import dev.posthorn.server.settings.HubSettings;
import dev.posthorn.server.subscriptions.SubscriptionKeeper;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Puts the parts of the stream together. */
@Configuration(proxyBeanMethods = false)
class StreamWiring {

    @Bean
    Listeners listeners(HubSettings settings, JsonMapper mapper, Gate gate) {
        Listeners listeners = new Listeners(settings.stream().listeners(), mapper);
        gate.onChange(listeners::checkAgain);
        return listeners;
    }

    @Bean
    Tails tails(Database database) {
        return new Tails(database);
    }

    @Bean
    StreamFeed streamFeed(Database database, Listeners listeners, Overviews overviews, SubscriptionKeeper keeper) {
        StreamFeed feed = new StreamFeed(database, listeners, overviews);
        keeper.onChange(feed::changed);
        return feed;
    }
}
