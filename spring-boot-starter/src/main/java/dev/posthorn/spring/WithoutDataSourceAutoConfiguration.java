package dev.posthorn.spring;

import java.util.Set;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * An application with nothing to record in, as one that uses R2DBC alone: an event that it publishes is not lost silently,
 * and a listener or subscription that would never hear of anything is told.
 */
@AutoConfiguration(after = PosthornAutoConfiguration.class)
@ConditionalOnMissingBean({DataSource.class, AnnotatedEventRegistration.class})
public final class WithoutDataSourceAutoConfiguration {

    WithoutDataSourceAutoConfiguration() {}

    @Bean
    static AnnotatedEventRegistration posthornAnnotatedEvents(
            ConfigurableApplicationContext context, ObjectProvider<Outbox> outbox) {
        return new AnnotatedEventRegistration(context, outbox);
    }

    /** A mistake if there is a listener. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = "posthorn.inbox.enabled", matchIfMissing = true)
    static class Listening {

        @Bean
        static ListenerMethods posthornListenerMethods() {
            return new ListenerMethods();
        }

        @Bean
        @Lazy(false)
        SmartInitializingSingleton posthornListenerCheck(ListenerMethods methods) {
            return () -> methods.requireNone(
                    "has its effects and its inbox entries in one transaction, but there is no data source",
                    "Set spring.datasource.url: listeners work by JDBC, also where the rest of the application uses R2DBC."
                            + " Or set posthorn.inbox.enabled=false, and no listener takes events");
        }
    }

    /** A mistake if there is a subscription. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(RelayRole.class)
    static class Delivering {

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
