package dev.posthorn.spring.metrics;

import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import dev.posthorn.spring.setup.WatchedDataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health {@code posthorn}, if there is an actuator. */
@AutoConfiguration(after = PosthornAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(WatchedDataSource.class)
public class PosthornHealthAutoConfiguration {

    @Bean
    @ConditionalOnEnabledHealthIndicator("posthorn")
    @ConditionalOnMissingBean(name = "posthornHealthIndicator")
    HealthIndicator posthornHealthIndicator(
            WatchedDataSource watched,
            ObjectProvider<SchemaName> schema,
            ListableBeanFactory beans,
            ObjectProvider<Relay> relay) {
        return new PosthornHealth(
                watched.dataSource(),
                schema.getIfAvailable(() -> SchemaName.DEFAULT),
                beans.getBeanNamesForType(Relay.class, true, false).length > 0,
                relay::getIfAvailable);
    }
}
