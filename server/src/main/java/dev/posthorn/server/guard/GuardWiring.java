package dev.posthorn.server.guard;

import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.database.DatabaseKeeper;
import dev.posthorn.server.documents.DocumentKind;
import dev.posthorn.server.documents.DocumentReader;
import dev.posthorn.server.documents.DocumentSecrets;
import dev.posthorn.server.documents.KeyRotation;
import dev.posthorn.server.documents.NamedDocuments;
import dev.posthorn.server.documents.SentDocuments;
import dev.posthorn.server.masking.Masker;
import dev.posthorn.server.secrets.Vault;
import dev.posthorn.server.settings.HubSettings;
import dev.posthorn.server.subscriptions.sinks.Guards;
import dev.posthorn.server.subscriptions.sinks.HubDestinations;
import dev.posthorn.sink.Sink;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.UUID;
import java.util.function.Function;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Puts the parts of guards together. */
@Configuration(proxyBeanMethods = false)
class GuardWiring {

    @Bean
    GuardStore guardStore(Database database) {
        return new GuardStore(database.queries());
    }

    @Bean
    ForwardStore forwardStore(Database database, HubSettings settings) {
        String instance = settings.relay().instance();
        return new ForwardStore(
                database.queries(), instance == null ? UUID.randomUUID().toString() : instance);
    }

    @Bean
    DocumentSecrets guardSecrets(DocumentReader reader, Vault vault) {
        return new DocumentSecrets(DocumentKind.GUARD, reader, vault);
    }

    @Bean
    GuardBlueprint guardBlueprint(DocumentSecrets guardSecrets, HubSettings settings) {
        return new GuardBlueprint(guardSecrets, HubDestinations.of(settings));
    }

    @Bean
    GuardKeeper guardKeeper(
            GuardStore store,
            GuardBlueprint blueprint,
            DocumentSecrets guardSecrets,
            Changes changes,
            DatabaseKeeper database) {
        GuardKeeper keeper = new GuardKeeper(store, blueprint);
        changes.read(Changes.Topic.GUARDS, keeper::read);
        database.onceReady(new KeyRotation<>(store.table(), Function.identity(), guardSecrets)::run);
        return keeper;
    }

    @Bean
    Forwarder forwarder(GuardKeeper keeper, ForwardStore store, Masker masker) {
        return new Forwarder(keeper, store, masker);
    }

    @Bean
    Guards guards(GuardStore store, Forwarder forwarder) {
        return new Guards() {

            @Override
            public boolean isThere(String guard) {
                return store.table().find(guard).isPresent();
            }

            @Override
            public Sink sink(String guard) {
                return new GuardSink(guard, forwarder);
            }
        };
    }

    @Bean
    HubGuards hubGuards(
            Database database,
            Changes changes,
            DocumentReader reader,
            GuardStore store,
            GuardBlueprint blueprint,
            GuardKeeper keeper,
            ForwardStore forwards) {
        return new HubGuards(
                new NamedDocuments<>(database, changes, store.table()),
                new SentDocuments<>(reader, TargetDocument.class, GuardAnswer.class),
                store,
                blueprint,
                keeper,
                forwards);
    }

    @Bean
    DoubtGauge doubtGauge(Database database, ForwardStore store, MeterRegistry registry) {
        return new DoubtGauge(database, store, registry);
    }

    @Bean
    ForwardTrimmer forwardTrimmer(Database database, ForwardStore store, HubSettings settings) {
        return new ForwardTrimmer(database, store, settings.retention().dedupPeriod());
    }
}
