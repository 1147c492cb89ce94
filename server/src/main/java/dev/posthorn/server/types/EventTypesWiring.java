package dev.posthorn.server.types;

import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.settings.HubSettings;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Puts the registry together. */
@Configuration(proxyBeanMethods = false)
class EventTypesWiring {

    @Bean
    EventTypeStore eventTypeStore(Database database) {
        return new EventTypeStore(database.queries());
    }

    @Bean
    EventTypes eventTypes(EventTypeStore store, HubSettings settings, JsonMapper json, Changes changes) {
        return new EventTypes(store, settings.eventTypes(), json, changes);
    }
}
