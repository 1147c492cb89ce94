package dev.posthorn.spring.testing;

import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.spring.setup.OutboxDataSource;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testing.SteppedRelay;
import java.time.Instant;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The beans of {@link PosthornTest}. */
@Configuration(proxyBeanMethods = false)
class SteppedConfiguration {

    @Bean
    @DependsOnDatabaseInitialization
    RecordedOutbox posthornRecordedOutbox(OutboxDataSource recorded, SchemaName schema) {
        return new RecordedOutbox(recorded.dataSource(), schema);
    }

    @Bean
    RecordingSinks posthornRecordingSinks(ObjectProvider<Subscription> subscriptions) {
        return new RecordingSinks(subscriptions.orderedStream().toList());
    }

    /** Of the process only: a database that others use too must not get a clock that stands still. */
    @Bean
    SettableClock posthornClock() {
        return SettableClock.at(Instant.now());
    }

    @Bean(destroyMethod = "leave")
    @DependsOnDatabaseInitialization
    SteppedRelay posthornSteppedRelay(
            OutboxDataSource recorded, SchemaName schema, RecordingSinks sinks, SettableClock clock) {
        Relay.Builder relay = Relay.builder(recorded.dataSource()).schema(schema.name());
        sinks.subscriptions().forEach(relay::subscribe);
        return SteppedRelay.of(relay, clock).pass();
    }
}
