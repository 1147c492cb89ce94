package dev.posthorn.spring;

import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.spring.metrics.WatchedDataSource;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import tools.jackson.databind.json.JsonMapper;

/** The outbox and the tables. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration"
        })
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

    @Bean
    @Lazy(false)
    @ConditionalOnMissingBean(SchemaInstaller.class)
    @DependsOnDatabaseInitialization
    SchemaVerifier posthornSchemaVerifier(DataSources dataSources, SchemaName name) {
        return new SchemaVerifier(dataSources, new Schema(name));
    }

    @Bean
    @DependsOnDatabaseInitialization
    @ConditionalOnMissingBean
    Outbox posthornOutbox(
            DataSources dataSources,
            PosthornProperties properties,
            Environment environment,
            ObjectProvider<JsonMapper> json,
            ObjectProvider<Traces> traces,
            RunningRelay relay) {
        return new SpringOutbox(
                dataSources.ofOutbox(),
                OutboxSettings.of(properties),
                new AnnotatedEvents(Json.of(json), source(properties, environment)),
                traces.getIfAvailable(() -> Traces.NONE),
                relay::wake);
    }

    private static String source(PosthornProperties properties, Environment environment) {
        String own = properties.outbox().source();
        return own == null ? environment.getProperty("spring.application.name", "") : own;
    }

    @Bean
    RunningRelay posthornRunningRelay() {
        return new RunningRelay();
    }

    @Bean
    static AnnotatedEventRegistration posthornAnnotatedEvents(
            ConfigurableApplicationContext context, ObjectProvider<Outbox> outbox) {
        return new AnnotatedEventRegistration(context, outbox);
    }

    @Bean
    static TransactionWatchPostProcessor posthornTransactionWatch() {
        return new TransactionWatchPostProcessor();
    }

    /** With Micrometer Tracing and a tracer. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Tracer.class, Propagator.class})
    static class TracingConfiguration {

        @Bean
        @ConditionalOnBean({Tracer.class, Propagator.class})
        MicrometerTraces posthornTraces(Tracer tracer, Propagator propagator) {
            return new MicrometerTraces(tracer, propagator);
        }
    }
}
