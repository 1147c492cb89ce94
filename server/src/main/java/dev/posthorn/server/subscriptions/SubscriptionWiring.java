package dev.posthorn.server.subscriptions;

import dev.posthorn.event.EventLimits;
import dev.posthorn.relay.RelayListener;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.database.DatabaseKeeper;
import dev.posthorn.server.masking.Masker;
import dev.posthorn.server.secrets.Vault;
import dev.posthorn.server.settings.HubSettings;
import dev.posthorn.server.subscriptions.sinks.Guards;
import dev.posthorn.server.subscriptions.sinks.HubDestinations;
import dev.posthorn.server.subscriptions.sinks.Surroundings;
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
    RelayKeeper relayKeeper(Database database, DatabaseKeeper keeper, RelayListener listener, HubSettings settings) {
        return new RelayKeeper(database, keeper, listener, settings);
    }

    @Bean
    Translation translation(HubSettings settings, Guards guards) {
        return new Translation(
                new Surroundings(HubDestinations.of(settings), guards),
                settings.relay().leaseTtl());
    }

    @Bean
    DocumentReader documentReader(JsonMapper mapper) {
        return new DocumentReader(mapper);
    }

    @Bean
    Blueprint blueprint(DocumentReader reader, Vault vault, Translation translation, Masker masker) {
        return new Blueprint(reader, vault, translation, masker);
    }

    @Bean
    SubscriptionStore subscriptionStore(Database database) {
        return new SubscriptionStore(database.queries());
    }

    /** The relay's own tables, on connections that no call waits for. */
    @Bean
    Subscriptions registeredSubscriptions(Database database) {
        return new Subscriptions(database.direct(), database.schema());
    }

    @Bean
    Registrar registrar(Database database, Subscriptions registered) {
        return new Registrar(database.queries(), registered);
    }

    @Bean
    SubscriptionKeeper subscriptionKeeper(
            SubscriptionStore store,
            Blueprint blueprint,
            Registrar registrar,
            RelayKeeper relay,
            Changes changes,
            DatabaseKeeper database,
            Vault vault) {
        SubscriptionKeeper keeper = new SubscriptionKeeper(store, blueprint, registrar, relay);
        changes.read(Changes.Topic.SUBSCRIPTIONS, keeper::read);
        database.onceReady(new KeyRotation(store, vault)::run);
        return keeper;
    }

    @Bean
    WishKeeper wishKeeper(Database database, SubscriptionKeeper keeper) {
        return new WishKeeper(database, keeper);
    }

    @Bean
    RemovalKeeper removalKeeper(SubscriptionKeeper keeper, Registrar registrar) {
        return new RemovalKeeper(keeper, registrar);
    }

    @Bean
    HubSubscriptions hubSubscriptions(
            Database database,
            Changes changes,
            DocumentReader reader,
            SubscriptionStore store,
            Vault vault,
            Blueprint blueprint,
            Translation translation,
            Registrar registrar,
            SubscriptionKeeper keeper,
            RemovalKeeper removal,
            EventLimits limits,
            Masker masker) {
        return new HubSubscriptions(
                database,
                changes,
                reader,
                store,
                new Drafting(reader, vault, blueprint, translation),
                blueprint,
                registrar,
                keeper,
                removal,
                new Trial(limits, masker));
    }
}
