package dev.posthorn.server;

import dev.posthorn.Outbox;
import dev.posthorn.event.EventLimits;
import dev.posthorn.inbox.Inbox;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.database.DatabaseHealth;
import dev.posthorn.server.database.DatabaseKeeper;
import dev.posthorn.server.ingest.Conflicts;
import dev.posthorn.server.ingest.IncomingEvents;
import dev.posthorn.server.ingest.Ingest;
import dev.posthorn.server.ingest.Sources;
import dev.posthorn.server.json.Json;
import dev.posthorn.server.masking.Masker;
import dev.posthorn.server.metrics.IngestMetrics;
import dev.posthorn.server.settings.HubSettings;
import dev.posthorn.server.subscriptions.RelayKeeper;
import dev.posthorn.server.types.EventTypes;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Puts the parts together that know nothing of Spring. */
@Configuration(proxyBeanMethods = false)
class Wiring {

    @Bean
    JsonMapper jsonMapper(HubSettings settings) {
        return Json.mapper(settings.limits().depth());
    }

    @Bean
    Database database(HubSettings settings) {
        return Database.open(settings);
    }

    @Bean
    DatabaseKeeper databaseKeeper(Database database) {
        return new DatabaseKeeper(database);
    }

    @Bean
    Changes changes(Database database, DatabaseKeeper keeper) {
        return new Changes(database, keeper);
    }

    /** Its name stands in the readiness group of posthorn.yaml. */
    @Bean
    DatabaseHealth databaseHealth(Database database, Changes changes) {
        return new DatabaseHealth(database, changes);
    }

    @Bean
    EventLimits eventLimits(HubSettings settings) {
        return EventLimits.DEFAULT.withMaxPayloadBytes(
                (int) settings.limits().payload().toBytes());
    }

    @Bean
    Masker masker(EventTypes types, JsonMapper mapper) {
        return new Masker(types, mapper);
    }

    @Bean
    Sources sources(Database database) {
        return new Sources(database);
    }

    @Bean
    Conflicts conflicts(Database database) {
        return new Conflicts(database.queries(), System::nanoTime);
    }

    @Bean
    IncomingEvents incomingEvents(EventLimits limits, HubSettings settings) {
        return new IncomingEvents(limits, settings);
    }

    @Bean
    Ingest ingest(
            Database database,
            EventLimits limits,
            EventTypes types,
            Sources sources,
            Conflicts conflicts,
            IngestMetrics metrics,
            RelayKeeper relay) {
        Outbox outbox =
                Outbox.builder().schema(database.schema().name()).limits(limits).build();
        Inbox inbox = Inbox.builder().schema(database.schema().name()).build();
        return new Ingest(database, new Ingest.Log(outbox, inbox, relay::wake), types, sources, conflicts, metrics);
    }
}
