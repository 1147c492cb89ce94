package dev.posthorn.spring.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.sink.Sink;
import dev.posthorn.spring.InboxListener;
import dev.posthorn.spring.NoTransactionException;
import dev.posthorn.spring.Outbox;
import dev.posthorn.spring.OutboxEvent;
import dev.posthorn.spring.inbox.InboxAutoConfiguration;
import dev.posthorn.spring.outbox.OutboxAutoConfiguration;
import dev.posthorn.spring.relay.RelayAutoConfiguration;
import dev.posthorn.spring.settings.PropertiesAutoConfiguration;
import dev.posthorn.spring.setup.DataSources;
import dev.posthorn.spring.setup.FlywaySchemaAutoConfiguration;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import dev.posthorn.spring.setup.SetupException;
import dev.posthorn.spring.shop.Shop;
import dev.posthorn.spring.shop.TestServer;
import dev.posthorn.spring.testing.PosthornTest;
import dev.posthorn.spring.testing.RecordedOutbox;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** What an application may set, and what it is told if that does not fit together. */
@ExtendWith(OutputCaptureExtension.class)
class SetupTest {

    private static final String DATABASE = TestServer.database();

    private final ApplicationContextRunner application = application(DATABASE);

    private static ApplicationContextRunner application(String database) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionManagerCustomizationAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        PropertiesAutoConfiguration.class,
                        PosthornAutoConfiguration.class,
                        OutboxAutoConfiguration.class,
                        FlywaySchemaAutoConfiguration.class,
                        RelayAutoConfiguration.class,
                        InboxAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=" + database, "spring.application.name=shop");
    }

    @Test
    void aSubscriptionHasWhatItsPropertiesSay() {
        application
                .withPropertyValues(
                        "spring.kafka.bootstrap-servers=localhost:9",
                        "posthorn.relay.workers=1",
                        "posthorn.subscriptions.orders.kafka.topic=orders",
                        "posthorn.subscriptions.orders.types=order.*,basket.*",
                        "posthorn.subscriptions.orders.start=beginning",
                        "posthorn.subscriptions.orders.retry.max-attempts=3",
                        "posthorn.subscriptions.orders.retry.delays=1s,10s",
                        "posthorn.subscriptions.orders.timeout=5s",
                        "posthorn.subscriptions.orders.lanes=2",
                        "posthorn.subscriptions.orders.rate-per-second=7.5",
                        "posthorn.subscriptions.orders.after-dead-letter=hold")
                .run(context -> {
                    Subscription orders = context.getBean(Subscription.class);
                    assertThat(orders.name()).isEqualTo("orders");
                    assertThat(orders.sink()).hasToString("Kafka at localhost:9, topic orders");
                    assertThat(orders.filter().types()).containsExactly("order.*", "basket.*");
                    assertThat(orders.retry().maxAttempts()).isEqualTo(3);
                    assertThat(orders.retry().delays()).hasSize(2);
                    assertThat(orders.timeout()).hasSeconds(5);
                    assertThat(orders.lanes()).isEqualTo(2);
                    assertThat(orders.ratePerSecond()).isEqualTo(7.5);
                    assertThat(orders.afterDeadLetter()).hasToString("HOLD");
                    assertThat(context.getBean(Relay.class).instance()).isNotEmpty();
                });
    }

    @Test
    void subscriptionsAndSinksMayBeBeans() {
        RecordingSink sink = RecordingSink.pipelined();
        application
                .withBean("mine", Sink.class, () -> sink)
                .withBean(
                        "own",
                        Subscription.class,
                        () -> Subscription.to("own", sink).build())
                .withPropertyValues("posthorn.subscriptions.orders.sink=mine")
                .run(context -> assertThat(
                                context.getBeansOfType(Subscription.class).values())
                        .extracting(Subscription::name, Subscription::sink)
                        .containsExactlyInAnyOrder(
                                org.assertj.core.groups.Tuple.tuple("own", sink),
                                org.assertj.core.groups.Tuple.tuple("orders", sink)));
    }

    @Test
    void aSharedPoolThatIsTooSmallIsTold() {
        fails(
                application.withPropertyValues(
                        "posthorn.relay.pool=shared", "spring.datasource.hikari.maximum-pool-size=5"),
                analysis -> {
                    assertThat(analysis.getDescription()).contains("5 connections at most");
                    assertThat(analysis.getAction()).contains("maximum-pool-size to at least 6", "posthorn.relay.pool");
                });
        application
                .withPropertyValues("posthorn.relay.pool=shared", "spring.datasource.hikari.maximum-pool-size=10")
                .run(context -> assertThat(context).as("Spring Boot's default").hasNotFailed());
    }

    @Test
    void aSinkThatIsNotOnTheClassPathIsToldWithItsDependency() {
        fails(
                application
                        .withClassLoader(new FilteredClassLoader("dev.posthorn.kafka"))
                        .withPropertyValues("posthorn.subscriptions.orders.kafka.topic=orders"),
                analysis -> {
                    assertThat(analysis.getDescription()).contains("posthorn.subscriptions.orders.kafka");
                    assertThat(analysis.getAction()).contains("dev.posthorn:posthorn-kafka");
                });
    }

    @Test
    void noSinkTwoSinksAndAnUnknownOneAreTold() {
        fails(
                application.withPropertyValues("posthorn.subscriptions.orders.types=a"),
                analysis ->
                        assertThat(analysis.getDescription()).contains("posthorn.subscriptions.orders has no sink"));
        fails(
                application.withPropertyValues(
                        "posthorn.subscriptions.orders.kafka.topic=a",
                        "posthorn.subscriptions.orders.http.url=https://example.com"),
                analysis -> assertThat(analysis.getDescription())
                        .contains("posthorn.subscriptions.orders.kafka and posthorn.subscriptions.orders.http"));
        fails(
                application.withPropertyValues("posthorn.subscriptions.orders.sink=mine"),
                analysis -> assertThat(analysis.getAction()).contains("dev.posthorn.sink.Sink"));
    }

    @Test
    void aSinkThatIsSetWronglyIsToldWithItsProperty() {
        fails(
                application.withPropertyValues("posthorn.subscriptions.orders.kafka.topic=orders"),
                analysis -> assertThat(analysis.getAction())
                        .contains("posthorn.subscriptions.orders.kafka.bootstrap-servers"));
        fails(
                application.withPropertyValues("posthorn.subscriptions.orders.http.url=http://localhost:1/"),
                analysis -> assertThat(analysis.getDescription())
                        .contains("posthorn.subscriptions.orders.http: ", "loopback"));
        fails(
                application.withPropertyValues(
                        "posthorn.kafka.bootstrap-servers=localhost:9",
                        "posthorn.subscriptions.orders.kafka.topic=orders",
                        "posthorn.subscriptions.orders.kafka.properties.acks=1"),
                analysis -> assertThat(analysis.getDescription()).contains("setting 'acks' cannot be set"));
    }

    /** What only consumers know was refused by the producer. */
    @Test
    void commonSettingsOfKafkaThatOnlyConsumersKnowAreNoProducers() {
        application
                .withPropertyValues(
                        "posthorn.kafka.bootstrap-servers=localhost:9",
                        "posthorn.kafka.properties.isolation.level=read_committed",
                        "posthorn.subscriptions.orders.kafka.topic=orders")
                .run(context -> assertThat(context).hasNotFailed());
        fails(
                application.withPropertyValues(
                        "posthorn.kafka.bootstrap-servers=localhost:9",
                        "posthorn.kafka.properties.isolation.levle=read_committed",
                        "posthorn.subscriptions.orders.kafka.topic=orders"),
                analysis -> assertThat(analysis.getDescription()).contains("isolation.levle"));
    }

    @Test
    void aKafkaThatATestBringsAlongGoesBeforeWhatIsConfigured() {
        application
                .withBean(KafkaConnectionDetails.class, () -> () -> List.of("container:1", "container:2"))
                .withPropertyValues(
                        "posthorn.kafka.bootstrap-servers=localhost:9",
                        "posthorn.subscriptions.orders.kafka.topic=orders")
                .run(context -> assertThat(context.getBean(Subscription.class).sink())
                        .hasToString("Kafka at container:1,container:2, topic orders"));
    }

    @OutboxEvent(type = "parcel.sent")
    record ParcelSent(String number) {}

    @Test
    void severalJsonMappersAreNoMatterUntilOneIsNeeded() {
        application
                .withBean("first", JsonMapper.class, JsonMapper::new)
                .withBean("second", JsonMapper.class, JsonMapper::new)
                .withPropertyValues("posthorn.role=writer")
                .run(context -> {
                    TransactionTemplate transaction =
                            new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
                    transaction.executeWithoutResult(
                            status -> context.getBean(Outbox.class).record(Shop.event("label.printed", "1")));
                    assertThatThrownBy(() -> transaction.executeWithoutResult(
                                    status -> context.publishEvent(new ParcelSent("1"))))
                            .isInstanceOf(SetupException.class)
                            .hasMessageContaining("[first, second]")
                            .hasMessageContaining("@Primary");
                });
    }

    /** Its transactions are those of the data source behind it, and recording was refused. */
    @Test
    void aDataSourceThatKnowsOfTransactionsMayBeThePrimaryOne() {
        DataSource target = dataSource(DATABASE);
        application
                .withBean("target", DataSource.class, () -> target)
                .withBean(
                        "proxy",
                        DataSource.class,
                        () -> new TransactionAwareDataSourceProxy(target),
                        definition -> definition.setPrimary(true))
                .withPropertyValues("posthorn.role=writer")
                .run(context -> new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                        .executeWithoutResult(
                                status -> context.getBean(Outbox.class).record(Shop.event("label.printed", "1"))));
    }

    @Configuration
    @PosthornTest
    static class Tested {}

    @Test
    void aTestLooksWhereTheApplicationRecords() {
        application
                .withUserConfiguration(Tested.class)
                .withBean(
                        "first",
                        DataSource.class,
                        () -> dataSource(TestServer.database()),
                        definition -> definition.setPrimary(true))
                .withBean("second", DataSource.class, () -> dataSource(TestServer.database()))
                .withPropertyValues("posthorn.data-source=second")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    context.getBean(RecordedOutbox.class).events().assertNone();
                });
    }

    @Test
    void anHttpSinkIsSetUpByItsProperties() {
        application
                .withPropertyValues(
                        "posthorn.subscriptions.orders.http.url=http://localhost:1/orders",
                        "posthorn.subscriptions.orders.http.form=structured",
                        "posthorn.subscriptions.orders.http.allow-private-addresses=true",
                        "posthorn.subscriptions.orders.http.user=shop",
                        "posthorn.subscriptions.orders.http.password=secret",
                        "posthorn.subscriptions.orders.http.secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
                .run(context -> assertThat(context.getBean(Subscription.class).sink())
                        .hasToString("HTTP to http://localhost:1/orders, basic, user 'shop'"));
    }

    @Test
    void ofTwoDataSourcesOneHasToBeChosen() {
        ApplicationContextRunner two = application
                .withBean("first", DataSource.class, () -> dataSource(DATABASE))
                .withBean("second", DataSource.class, () -> dataSource(DATABASE));
        fails(two, analysis -> {
            assertThat(analysis.getDescription()).contains("[first, second]");
            assertThat(analysis.getAction()).contains("posthorn.data-source", "@Primary");
        });
        fails(
                two.withPropertyValues("posthorn.data-source=third"),
                analysis -> assertThat(analysis.getAction()).contains("[first, second]"));
        two.withPropertyValues("posthorn.data-source=second")
                .run(context -> assertThat(context.getBean(DataSources.class).ofOutbox())
                        .isSameAs(context.getBean("second")));
    }

    static class Listening {
        @InboxListener(topics = "orders")
        void on(Event event) {}
    }

    /** As in an application that uses R2DBC alone, or excludes the auto-configuration of data sources. */
    private final ApplicationContextRunner withoutDataSource = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JacksonAutoConfiguration.class,
                    PropertiesAutoConfiguration.class,
                    PosthornAutoConfiguration.class,
                    OutboxAutoConfiguration.class,
                    RelayAutoConfiguration.class,
                    InboxAutoConfiguration.class))
            .withPropertyValues("spring.application.name=shop");

    /** It started, and nobody ever called the method. */
    @Test
    void aListenerInAnApplicationWithoutADataSourceIsTold() {
        ApplicationContextRunner listening = withoutDataSource.withBean(Listening.class);
        fails(listening, analysis -> {
            assertThat(analysis.getDescription()).contains("Listening.on", "no data source");
            assertThat(analysis.getAction()).contains("spring.datasource.url", "posthorn.inbox.enabled=false");
        });
        listening
                .withPropertyValues("posthorn.inbox.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aSubscriptionInAnApplicationWithoutADataSourceIsTold() {
        ApplicationContextRunner delivering =
                withoutDataSource.withPropertyValues("posthorn.subscriptions.orders.kafka.topic=orders");
        fails(delivering, analysis -> {
            assertThat(analysis.getDescription()).contains("posthorn.subscriptions.orders", "no data source");
            assertThat(analysis.getAction()).contains("spring.datasource.url", "posthorn.role=writer");
        });
        delivering
                .withPropertyValues("posthorn.role=writer")
                .run(context -> assertThat(context).hasNotFailed());
        withoutDataSource.run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aPropertyThatDoesNotExistIsToldWithADataSourceAndWithout() {
        List.of(application, withoutDataSource)
                .forEach(each -> fails(
                        each.withPropertyValues("posthorn.rol=writer"),
                        analysis -> assertThat(analysis.getDescription()).contains("did you mean posthorn.role?")));
    }

    @Test
    void aRelayWithoutASubscriptionSaysSo(CapturedOutput output) {
        application(TestServer.database()).run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains("posthorn.role is both", "posthorn.subscriptions.<name>", "posthorn.role=writer");
    }

    @Test
    void aRelayWithASubscriptionThatIsABeanIsFine(CapturedOutput output) {
        application(TestServer.database())
                .withBean(
                        Subscription.class,
                        () -> Subscription.to("own", RecordingSink.pipelined()).build())
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("posthorn.role is");
    }

    @Test
    void aMissingSchemaIsToldIfSomebodyElseShouldHaveInstalledIt() {
        String empty = TestServer.database();
        ApplicationContextRunner none = application(empty).withPropertyValues("posthorn.schema.install=none");
        fails(none.withPropertyValues("posthorn.role=writer"), analysis -> {
            assertThat(analysis.getDescription()).contains("schema posthorn is not installed");
            assertThat(analysis.getAction()).contains("posthorn.schema.install=startup");
        });
        new Schema(SchemaName.DEFAULT).install(dataSource(empty));
        none.run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void flywayInstallsTheTablesInItsOwnRunUnderAnotherName() {
        ApplicationContextRunner flyway = application(TestServer.database())
                .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
                .withPropertyValues("posthorn.schema.install=flyway", "posthorn.schema.name=mail");
        flyway.run(context -> {
            assertThat(context).hasNotFailed();
            new Schema(new SchemaName("mail")).verify(context.getBean(DataSource.class));
            assertThat(history(context.getBean(JdbcTemplate.class)))
                    .singleElement()
                    .satisfies(row -> assertThat(row).containsEntry("success", true));
        });
        flyway.run(context -> assertThat(history(context.getBean(JdbcTemplate.class)))
                .as("unchanged, so it is not run again")
                .hasSize(1));
    }

    private static List<Map<String, Object>> history(JdbcTemplate jdbc) {
        return jdbc.queryForList("SELECT * FROM flyway_schema_history WHERE description = 'Posthorn'");
    }

    @Test
    void flywayThatDoesNotRunIsTold() {
        fails(
                application.withPropertyValues("posthorn.schema.install=flyway"),
                analysis -> assertThat(analysis.getAction()).contains("spring-boot-starter-flyway"));
    }

    @Test
    void everyAnalyzerIsKnownToSpringBoot() {
        assertThat(Analyzers.ALL)
                .extracting(each -> each.getClass().getSimpleName())
                .containsExactlyInAnyOrder(
                        "DatabaseFailureAnalyzer",
                        "NoTransactionFailureAnalyzer",
                        "PosthornFailureAnalyzer",
                        "RelayNotRunningFailureAnalyzer",
                        "SetupFailureAnalyzer",
                        "UnknownPropertyAnalyzer");
    }

    @Test
    void aMissingTransactionIsAnalyzed() {
        FailureAnalysis analysis = Analyzers.analyze(new BeanCreationException(
                "start", new NoTransactionException("An event was recorded without a transaction", "Annotate")));
        assertThat(analysis.getAction()).isEqualTo("Annotate.");
        assertThat(Analyzers.ALL)
                .as("not the application's mistake")
                .allSatisfy(each -> assertThat(each.analyze(new PosthornException(ErrorCode.DATABASE, "passing")))
                        .isNull());
    }

    private static void fails(ApplicationContextRunner runner, Consumer<FailureAnalysis> telling) {
        runner.run(context -> {
            assertThat(context).hasFailed();
            telling.accept(Analyzers.analyze(context.getStartupFailure()));
        });
    }

    private static DataSource dataSource(String url) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url);
        return dataSource;
    }
}
