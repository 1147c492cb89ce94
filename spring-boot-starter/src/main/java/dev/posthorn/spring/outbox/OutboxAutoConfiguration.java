package dev.posthorn.spring.outbox;

import dev.posthorn.spring.Outbox;
import dev.posthorn.spring.settings.PosthornProperties;
import dev.posthorn.spring.setup.DataSources;
import dev.posthorn.spring.setup.Json;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import tools.jackson.databind.json.JsonMapper;

/** The outbox, and the transactions that it records in. */
@AutoConfiguration(
        after = PosthornAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration"
        })
public final class OutboxAutoConfiguration {

    OutboxAutoConfiguration() {}

    /**
     * Makes the context hand annotated events to the outbox for as long as it hands on any, and before the first bean is made
     * that may publish one. A listener that is a bean ends as one: before those beans that were made earlier, and what these
     * publish when they are destroyed would be lost silently. Also without a data source, as in an application that uses R2DBC
     * alone, for the same reason.
     */
    @Bean
    static BeanFactoryPostProcessor posthornAnnotatedEvents(
            ConfigurableApplicationContext context, ObjectProvider<Outbox> outbox) {
        return beans -> context.addApplicationListener(new AnnotatedEventListener(outbox));
    }

    /** Where there is something to record in. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(DataSource.class)
    static class WithDataSource {

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
                    properties,
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
        static TransactionWatchPostProcessor posthornTransactionWatch() {
            return new TransactionWatchPostProcessor();
        }
    }

    /** With Micrometer Tracing and a tracer. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Tracer.class, Propagator.class})
    static class TracingConfiguration {

        @Bean
        @ConditionalOnBean({DataSource.class, Tracer.class, Propagator.class})
        MicrometerTraces posthornTraces(Tracer tracer, Propagator propagator) {
            return new MicrometerTraces(tracer, propagator);
        }
    }
}
