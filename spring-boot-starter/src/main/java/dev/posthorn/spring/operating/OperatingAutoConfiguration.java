package dev.posthorn.spring.operating;

import dev.posthorn.audit.Audit;
import dev.posthorn.deadletter.Commands;
import dev.posthorn.deadletter.DeadLetters;
import dev.posthorn.deadletter.Discards;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.replay.Replays;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import dev.posthorn.spring.setup.WatchedDataSource;
import dev.posthorn.status.EventStatuses;
import dev.posthorn.status.Gauges;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * What an application needs to look after its events itself, on the data source and in the schema that its relay delivers
 * from. Lazy: one who may only record has no right to any of it.
 */
@AutoConfiguration(after = PosthornAutoConfiguration.class)
@ConditionalOnBean(WatchedDataSource.class)
@Lazy
public class OperatingAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    DeadLetters posthornDeadLetters(WatchedDataSource watched, SchemaName schema) {
        return new DeadLetters(watched.dataSource(), schema);
    }

    @Bean
    @ConditionalOnMissingBean
    Commands posthornCommands(WatchedDataSource watched, SchemaName schema) {
        return new Commands(watched.dataSource(), schema);
    }

    @Bean
    @ConditionalOnMissingBean
    Discards posthornDiscards(WatchedDataSource watched, SchemaName schema) {
        return new Discards(watched.dataSource(), schema);
    }

    @Bean
    @ConditionalOnMissingBean
    Replays posthornReplays(WatchedDataSource watched, SchemaName schema) {
        return new Replays(watched.dataSource(), schema);
    }

    @Bean
    @ConditionalOnMissingBean
    Subscriptions posthornSubscriptions(WatchedDataSource watched, SchemaName schema) {
        return new Subscriptions(watched.dataSource(), schema);
    }

    @Bean
    @ConditionalOnMissingBean
    EventStatuses posthornEventStatuses(WatchedDataSource watched, SchemaName schema) {
        return new EventStatuses(watched.dataSource(), schema);
    }

    @Bean
    @ConditionalOnMissingBean
    Gauges posthornGauges(WatchedDataSource watched, SchemaName schema) {
        return new Gauges(watched.dataSource(), schema);
    }

    @Bean
    @ConditionalOnMissingBean
    Audit posthornAudit(WatchedDataSource watched, SchemaName schema) {
        return new Audit(watched.dataSource(), schema);
    }
}
