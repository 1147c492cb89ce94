package dev.posthorn.spring.inbox;

import dev.posthorn.inbox.ConsumerListener;
import dev.posthorn.inbox.Transactions;
import dev.posthorn.kafka.consumer.InboxConsumer;
import dev.posthorn.spring.InboxListener;
import dev.posthorn.spring.outbox.Traces;
import dev.posthorn.spring.relay.RelayAutoConfiguration;
import dev.posthorn.spring.settings.PosthornProperties;
import dev.posthorn.spring.setup.DataSources;
import dev.posthorn.spring.setup.Json;
import dev.posthorn.spring.setup.KafkaConnection;
import dev.posthorn.spring.setup.SetupException;
import dev.posthorn.testing.SteppedRelay;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/** Consumers for methods with {@link InboxListener}. */
@AutoConfiguration(after = RelayAutoConfiguration.class)
@ConditionalOnProperty(name = "posthorn.inbox.enabled", matchIfMissing = true)
public final class InboxAutoConfiguration {

    InboxAutoConfiguration() {}

    @Bean
    static ListenerMethods posthornListenerMethods() {
        return new ListenerMethods();
    }

    /** Also for receivers of webhooks: what they do is then in one transaction with what the application does. */
    @Bean
    @Lazy
    @ConditionalOnBean(DataSource.class)
    @ConditionalOnMissingBean
    Transactions posthornTransactions(BeanFactory beans, DataSources dataSources, PosthornProperties properties) {
        return new SpringTransactions(
                transactionManager(beans, properties.inbox().transactionManager()), dataSources.ofOutbox());
    }

    private static PlatformTransactionManager transactionManager(BeanFactory beans, @Nullable String name) {
        try {
            return name == null
                    ? beans.getBean(PlatformTransactionManager.class)
                    : beans.getBean(name, PlatformTransactionManager.class);
        } catch (NoUniqueBeanDefinitionException e) {
            throw new SetupException(
                    "There are several transaction managers, " + e.getBeanNamesFound()
                            + ", and nothing says in whose transactions @InboxListener methods run",
                    "Set posthorn.inbox.transaction-manager to the name of the one of the data source that events are"
                            + " recorded in, or mark it @Primary",
                    e);
        }
    }

    /** The usual case; not in tests that step a relay by hand, which hand events to the listeners themselves. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(InboxConsumer.class)
    @ConditionalOnBean(DataSource.class)
    @ConditionalOnMissingBean(SteppedRelay.class)
    static class WithKafka {

        @Bean
        @Lazy(false)
        @DependsOnDatabaseInitialization
        InboxListeners posthornInboxListeners(
                ListenerMethods methods,
                DataSources dataSources,
                PosthornProperties properties,
                Environment environment,
                ObjectProvider<Transactions> transactions,
                ObjectProvider<JsonMapper> json,
                ObjectProvider<Traces> traces,
                ObjectProvider<ConsumerListener> listeners,
                BeanFactory beans) {
            ConsumerFactory.Parts parts = new ConsumerFactory.Parts(
                    dataSources,
                    KafkaConnection.of(properties.kafka(), environment, beans),
                    transactions::getObject,
                    Json.of(json),
                    Optional.ofNullable(traces.getIfAvailable()),
                    listeners.orderedStream().toList(),
                    environment::resolveRequiredPlaceholders,
                    environment.getProperty("spring.application.name", ""));
            return new InboxListeners(
                    methods, new ConsumerFactory(properties, parts), new ListenersRelay(dataSources, properties));
        }
    }

    /** A mistake if there is a listener. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("dev.posthorn.kafka.consumer.InboxConsumer")
    @ConditionalOnBean(DataSource.class)
    static class WithoutKafka {

        @Bean
        @Lazy(false)
        SmartInitializingSingleton posthornListenerCheck(ListenerMethods methods) {
            return () -> methods.requireNone(
                    "takes events from Kafka, but Kafka is not on the class path",
                    "Add the dependency dev.posthorn:posthorn-kafka");
        }
    }

    /** A mistake if there is a listener. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(DataSource.class)
    static class WithoutDataSource {

        @Bean
        @Lazy(false)
        SmartInitializingSingleton posthornListenerCheck(ListenerMethods methods) {
            return () -> methods.requireNone(
                    "has its effects and its inbox entries in one transaction, but there is no data source",
                    "Set spring.datasource.url: listeners work by JDBC, also where the rest of the application uses R2DBC."
                            + " Or set posthorn.inbox.enabled=false, and no listener takes events");
        }
    }
}
