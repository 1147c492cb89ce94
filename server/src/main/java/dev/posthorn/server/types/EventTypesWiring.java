package dev.posthorn.server.types;

import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.documents.NamedDocuments;
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
    NamedDocuments<EventType> namedEventTypes(Database database, Changes changes, EventTypeStore store) {
        return new NamedDocuments<>(database, changes, store.table());
    }

    @Bean
    EventTypes eventTypes(EventTypeStore store, HubSettings settings, JsonMapper json, Changes changes) {
        return new EventTypes(store, settings.eventTypes(), json, changes);
    }

    @Bean
    NameTrimmer nameTrimmer(Database database, HubSettings settings) {
        return new NameTrimmer(database, settings.eventTypes());
    }
}
