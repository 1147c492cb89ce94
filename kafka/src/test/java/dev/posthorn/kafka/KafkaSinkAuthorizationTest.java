package dev.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class KafkaSinkAuthorizationTest {

    private static final AclBinding MAY_WRITE = new AclBinding(
            new ResourcePattern(ResourceType.TOPIC, "order.events", PatternType.LITERAL),
            new AccessControlEntry("User:relay", "*", AclOperation.WRITE, AclPermissionType.ALLOW));

    private static EmbeddedKafka kafka;
    private static Admin admin;

    @BeforeAll
    static void startKafka() {
        kafka = SteadyKafka.builder().users(Map.of("relay", "s3cret-word")).start();
        kafka.createTopic("order.events", 4);
        admin = kafka.admin();
    }

    @AfterAll
    static void stopKafka() {
        admin.close();
        kafka.close();
    }

    @Test
    void aRightThatIsTakenAwayUnderLoadHoldsTheLaneUntilItIsGivenBack() throws Exception {
        admin.createAcls(List.of(MAY_WRITE)).all().get();
        OutboxDatabase database = OutboxDatabase.create();
        Load load = Load.on(database);
        try (RelayRun run = RelayRun.start(database, sink("s3cret-word"))) {
            run.awaitDelivered(1000);

            admin.deleteAcls(List.of(MAY_WRITE.toFilter())).all().get();
            run.awaitOpened(3);
            assertThat(run.sink().failures())
                    .isNotEmpty()
                    .allSatisfy(outcome -> assertThat(outcome)
                            .isInstanceOf(Outcome.Unavailable.class)
                            .asString()
                            .contains("not authorized to write to topic 'order.events'"))
                    .extracting(Outcome.Failure::errorClass)
                    .containsOnly(ErrorClass.AUTH);

            admin.createAcls(List.of(MAY_WRITE)).all().get();
            int recorded = load.end();
            run.awaitDelivered(recorded);
            assertThat(TopicContent.firstNumbers(kafka.internalBootstrapServers(), "order.events"))
                    .isEqualTo(IntStream.range(0, recorded).boxed().toList());
            assertThat(run.overtaken()).isZero();
        }
    }

    @Test
    void aWrongPasswordIsToldButNotItsText() throws Exception {
        OutboxDatabase database = OutboxDatabase.create();
        database.record(0, 10);
        try (RelayRun run = RelayRun.start(database, sink("wr0ng-word"))) {
            run.awaitFailure();

            assertThat(run.sink().failures())
                    .first()
                    .satisfies(outcome -> assertThat(outcome)
                            .isInstanceOf(Outcome.Unavailable.class)
                            .asString()
                            .contains("refused the login")
                            .doesNotContain("wr0ng-word"))
                    .extracting(Outcome.Failure::errorClass)
                    .isEqualTo(ErrorClass.AUTH);
        }
    }

    private static KafkaSink sink(String password) {
        return KafkaSink.builder(kafka.bootstrapServers())
                .setting("security.protocol", "SASL_PLAINTEXT")
                .setting("sasl.mechanism", "PLAIN")
                .setting(
                        "sasl.jaas.config",
                        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"relay\" password=\""
                                + password + "\";")
                .build();
    }
}
