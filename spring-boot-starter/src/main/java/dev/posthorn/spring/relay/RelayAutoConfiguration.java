package dev.posthorn.spring.relay;

import dev.posthorn.relay.Relay;
import dev.posthorn.spring.outbox.OutboxAutoConfiguration;
import dev.posthorn.spring.outbox.RunningRelay;
import dev.posthorn.spring.settings.PosthornProperties;
import dev.posthorn.spring.setup.DataSources;
import dev.posthorn.spring.setup.KafkaConnection;
import dev.posthorn.spring.setup.SetupException;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.SteppedRelay;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;

/** The relay in the application's process and the subscriptions that it serves. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@Conditional(RelayRole.class)
public final class RelayAutoConfiguration {

    RelayAutoConfiguration() {}

    /** Where there is something to deliver from. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(DataSource.class)
    @Import(SubscriptionRegistrar.class)
    static class WithDataSource {

        @Bean
        SubscriptionFactory posthornSubscriptionFactory(
                ApplicationContext context, PosthornProperties properties, Environment environment) {
            return new SubscriptionFactory(
                    properties,
                    new SinkFactory(
                            context,
                            KafkaConnection.of(properties.kafka(), environment, context),
                            context.getClassLoader()));
        }
    }

    /** Not in tests that step a relay by hand. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(DataSource.class)
    @ConditionalOnMissingBean(SteppedRelay.class)
    static class Running {

        @Bean
        @Lazy(false)
        @DependsOnDatabaseInitialization
        RelayRunner posthornRelayRunner(
                DataSources dataSources,
                PosthornProperties properties,
                Environment environment,
                ObjectProvider<Subscription> subscriptions,
                ObjectProvider<SubscriptionSource> more,
                ObjectProvider<RelayListener> listeners,
                RunningRelay relay) {
            return new RelayRunner(
                    dataSources,
                    properties,
                    environment.getProperty("spring.application.name", "relay"),
                    () -> Stream.concat(
                            subscriptions.orderedStream(),
                            more.orderedStream().flatMap(each -> each.subscriptions().stream())),
                    listeners,
                    relay);
        }

        /**
         * Whichever runs at the time of asking: an application that is stopped and started again has a new one. None before
         * the application runs, so it is asked for by an ObjectProvider.
         */
        @Bean(destroyMethod = "")
        @Scope("prototype")
        @Nullable
        Relay posthornRelay(RunningRelay running) {
            return running.get();
        }
    }

    /** A mistake if there is a subscription. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(DataSource.class)
    static class WithoutDataSource {

        @Bean
        @Lazy(false)
        SmartInitializingSingleton posthornSubscriptionCheck(Environment environment) {
            return () -> requireNone(SubscriptionRegistrar.names(environment));
        }

        private static void requireNone(Set<String> subscriptions) {
            subscriptions.stream().findFirst().ifPresent(name -> {
                throw new SetupException(
                        "posthorn.subscriptions." + name
                                + " is to be served, but there is no data source to deliver from",
                        "Set spring.datasource.url, or posthorn.role=writer if others deliver");
            });
        }
    }
}
