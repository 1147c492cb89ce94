package dev.posthorn.spring.setup;

import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.spring.settings.PosthornProperties;
import javax.sql.DataSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** The settings, the data sources and the tables, which everything else is built on. */
@AutoConfiguration(afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnBean(DataSource.class)
@EnableConfigurationProperties(PosthornProperties.class)
public final class PosthornAutoConfiguration {

    PosthornAutoConfiguration() {}

    @Bean
    SchemaName posthornSchemaName(PosthornProperties properties) {
        return new SchemaName(properties.schema().name());
    }

    @Bean
    DataSources posthornDataSources(ListableBeanFactory beans, PosthornProperties properties) {
        return new DataSources(beans, properties);
    }

    @Bean
    @Lazy
    OutboxDataSource posthornOutboxDataSource(DataSources dataSources) {
        return new OutboxDataSource(dataSources.ofOutbox());
    }

    @Bean
    @Lazy
    WatchedDataSource posthornWatchedDataSource(DataSources dataSources) {
        return new WatchedDataSource(dataSources.ofRelay());
    }

    @Bean
    @Lazy(false)
    @ConditionalOnProperty(name = "posthorn.schema.install", havingValue = "startup", matchIfMissing = true)
    SchemaInstaller posthornSchemaInstaller(DataSources dataSources, SchemaName name) {
        return new SchemaInstaller(dataSources, new Schema(name));
    }

    /** Refuses to start an application whose tables somebody else should have installed and has not. */
    @Bean
    @Lazy(false)
    @ConditionalOnMissingBean(SchemaInstaller.class)
    @DependsOnDatabaseInitialization
    InitializingBean posthornSchemaVerifier(DataSources dataSources, SchemaName name) {
        return () -> new Schema(name).verify(dataSources.ofOutbox());
    }
}
