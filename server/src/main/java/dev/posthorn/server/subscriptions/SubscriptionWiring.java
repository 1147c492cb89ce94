package dev.posthorn.server.subscriptions;

import dev.posthorn.relay.Subscriptions;
import dev.posthorn.relay.retention.RetentionKeeper;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.database.DatabaseKeeper;
import dev.posthorn.server.documents.DocumentKind;
import dev.posthorn.server.documents.DocumentReader;
import dev.posthorn.server.documents.DocumentSecrets;
import dev.posthorn.server.documents.KeyRotation;
import dev.posthorn.server.documents.NamedDocuments;
import dev.posthorn.server.secrets.Vault;
import dev.posthorn.server.settings.HubSettings;
import dev.posthorn.server.subscriptions.definition.Lookups;
import dev.posthorn.server.subscriptions.definition.SubscriptionFactory;
import dev.posthorn.server.subscriptions.sinks.Guards;
import dev.posthorn.server.subscriptions.sinks.HubDestinations;
import dev.posthorn.server.subscriptions.sinks.SinkContext;
import dev.posthorn.subscription.RelayListener;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Puts the parts of subscriptions together. */
@Configuration(proxyBeanMethods = false)
class SubscriptionWiring {

    @Bean
    Vault vault(HubSettings settings, Database database) {
        return Vault.open(settings.secrets(), database.embedded() == null ? null : settings.data());
    }

    @Bean
    RelayKeeper relayKeeper(
            Database database, DatabaseKeeper keeper, List<RelayListener> listeners, HubSettings settings) {
        return new RelayKeeper(database, keeper, listeners, settings);
    }

    /** For those who ask; what is old is forgotten by the relay's own. */
    @Bean
    RetentionKeeper retentionKeeper(Database database, HubSettings settings) {
        return new RetentionKeeper(database.direct(), database.schema(), RelayKeeper.retention(settings.retention()));
    }

    @Bean
    SubscriptionFactory subscriptionFactory(HubSettings settings, Guards guards) {
        return new SubscriptionFactory(
                new SinkContext(HubDestinations.of(settings), guards),
                settings.relay().sessionTtl());
    }

    @Bean
    Lookups lookups(SubscriptionFactory factory) {
        return new Lookups(factory);
    }

    @Bean
    DocumentReader documentReader(JsonMapper mapper) {
        return new DocumentReader(mapper);
    }

    @Bean
    DocumentSecrets subscriptionSecrets(DocumentReader reader, Vault vault) {
        return new DocumentSecrets(DocumentKind.SUBSCRIPTION, reader, vault);
    }

    @Bean
    SubscriptionStore subscriptionStore(Database database) {
        return new SubscriptionStore(database.queries());
    }

    /** The relay's own tables. */
    @Bean
    Subscriptions registeredSubscriptions(Database database) {
        return new Subscriptions(database.calls(), database.schema());
    }

    @Bean
    ApplicationSubscriptions applicationSubscriptions(Database database, Subscriptions registered) {
        return new ApplicationSubscriptions(database.queries(), registered);
    }

    @Bean
    Registrar registrar(Database database) {
        return new Registrar(database.queries());
    }

    @Bean
    SubscriptionKeeper subscriptionKeeper(
            SubscriptionStore store,
            Blueprint blueprint,
            Registrar registrar,
            RelayKeeper relay,
            Changes changes,
            DatabaseKeeper database,
            DocumentSecrets subscriptionSecrets) {
        SubscriptionKeeper keeper = new SubscriptionKeeper(store, blueprint, registrar, relay);
        changes.read(Changes.Topic.SUBSCRIPTIONS, keeper);
        database.onceReady(new KeyRotation<>(store.table(), SubscriptionRow::stored, subscriptionSecrets)::run);
        return keeper;
    }

    @Bean
    LostRevisionKeeper lostRevisionKeeper(Database database, SubscriptionKeeper keeper) {
        return new LostRevisionKeeper(database, keeper);
    }

    @Bean
    RemovalKeeper removalKeeper(SubscriptionKeeper keeper, Registrar registrar) {
        return new RemovalKeeper(keeper, registrar);
    }

    @Bean
    NamedDocuments<SubscriptionRow> namedSubscriptions(Database database, Changes changes, SubscriptionStore store) {
        return new NamedDocuments<>(database, changes, store.table());
    }
}
