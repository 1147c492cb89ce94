package dev.posthorn.spring.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.relay.Relay;
import dev.posthorn.spring.Outbox;
import dev.posthorn.spring.metrics.PosthornHealthAutoConfiguration;
import dev.posthorn.spring.outbox.OutboxAutoConfiguration;
import dev.posthorn.spring.settings.PropertiesAutoConfiguration;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import dev.posthorn.spring.shop.TestServer;
import dev.posthorn.spring.shop.Threads;
import dev.posthorn.subscription.Subscription;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The relay runs from the application's start to its stop, and not before or after, whoever asks for it. */
class RelayLifecycleTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    PropertiesAutoConfiguration.class,
                    PosthornAutoConfiguration.class,
                    OutboxAutoConfiguration.class,
                    PosthornHealthAutoConfiguration.class,
                    RelayAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=" + TestServer.database(), "spring.application.name=shop");

    /** Somebody who asks while beans are made. */
    static final class Curious {

        final @Nullable Relay early;
        final ObjectProvider<Relay> relay;

        Curious(ObjectProvider<Relay> relay) {
            this.early = relay.getIfAvailable();
            this.relay = relay;
        }
    }

    @Configuration
    static class Asking {

        @Bean
        Curious curious(ObjectProvider<Relay> relay) {
            return new Curious(relay);
        }
    }

    @Test
    void whoAsksWhileBeansAreMadeStartsNothing() {
        application.withUserConfiguration(Asking.class).run(context -> {
            Curious curious = context.getBean(Curious.class);
            assertThat(curious.early).isNull();
            assertThat(curious.relay.getObject().isRunning()).isTrue();
        });
    }

    /** It was started again, by the health indicator for instance, and never stopped. */
    @Test
    void whoAsksAfterTheStopStartsNothing() {
        application.run(context -> {
            HealthIndicator health = context.getBean(HealthIndicator.class);
            assertThat(health.health().getStatus()).isEqualTo(Status.UP);
            context.stop();

            assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.health().getDetails()).containsEntry("relay", "stopped");
            assertThat(context.getBeanProvider(Relay.class).getIfAvailable()).isNull();
            Threads.assertNoneOfPosthorn();
        });
    }

    @Configuration
    static class Injecting {

        @Bean
        String injected(Relay relay) {
            return relay.instance();
        }
    }

    @Test
    void injectedAsItIsItIsToldWithTheRemedyAndNothingIsLeftBehind() {
        application.withUserConfiguration(Injecting.class).run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = new RelayNotRunningFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis).isNotNull();
            assertThat(analysis.getAction()).contains("ObjectProvider<Relay>");
        });
        Threads.assertNoneOfPosthorn();
    }

    @Configuration
    static class Failing {

        @Bean
        String failing(ObjectProvider<Relay> relay) {
            relay.ifAvailable(Relay::wake);
            throw new IllegalStateException("a later bean fails");
        }
    }

    /** Its threads and its pool were left running. */
    @Test
    void aBeanThatFailsAfterSomebodyAskedLeavesNoThreadBehind() {
        application
                .withUserConfiguration(Failing.class)
                .run(context -> assertThat(context).hasFailed());

        Threads.assertNoneOfPosthorn();
    }

    @Test
    void aWriterHasAnOutboxAndNoRelay() {
        application
                .withPropertyValues("posthorn.role=writer", "posthorn.subscriptions.orders.kafka.topic=orders")
                .run(context -> assertThat(context)
                        .hasSingleBean(Outbox.class)
                        .doesNotHaveBean(RelayRunner.class)
                        .doesNotHaveBean(Relay.class)
                        .doesNotHaveBean(Subscription.class));
    }

    @Test
    void theRelayHasAPoolOfItsOwnAndEndsBeforeTheApplications() {
        application
                .withPropertyValues("spring.datasource.hikari.maximum-pool-size=2")
                .run(context -> {
                    RelayRunner runner = context.getBean(RelayRunner.class);
                    assertThat(runner.isRunning()).isTrue();
                    Relay first = context.getBean(Relay.class);
                    context.stop();
                    assertThat(runner.isRunning()).isFalse();
                    context.start();
                    assertThat(context.getBean(Relay.class)).as("runs again").isNotSameAs(first);
                });
    }
}
