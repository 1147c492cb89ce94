package dev.posthorn.spring;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import dev.posthorn.testkit.architecture.Mentions;
import dev.posthorn.testkit.architecture.ModuleArchitecture;
import dev.posthorn.testkit.architecture.Rules;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.context.annotation.Bean;

/** The rooms of the starter and who may come in, and for each rule something wrong that it catches. */
class ArchitectureTest extends ModuleArchitecture {

    private static final String ROOT = "dev.posthorn.spring";

    /** Public for each other, or for Spring, and not for users. */
    private static final List<String> ROOMS =
            List.of("settings", "setup", "outbox", "relay", "inbox", "metrics", "operating");

    @Test
    void noPackageIsCrowdedByItsTests() {
        assertThat(Rules.crowded(both, Rules.MOST_CLASSES)).isEmpty();
    }

    /** Beans, and the parameters of an endpoint's requests. */
    @Override
    protected List<Class<? extends Annotation>> byContainer() {
        return List.of(Bean.class, ReadOperation.class, WriteOperation.class);
    }

    /** Those of the tests stand for all applications. */
    @Test
    void applicationsNeedNoneOfTheRooms() {
        DescribedPredicate<JavaClass> application = describe(
                "applications", each -> Set.of("fivelines", "restart", "shop").contains(room(each.getPackageName())));
        ArchRule rule = noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        ROOMS.stream().map(each -> ROOT + "." + each + "..").toArray(String[]::new));
        rule.check(both.that(application));
        assertThat(rule.evaluate(fixtures).getFailureReport().toString()).contains("DataSources");
    }

    private static String room(String packageName) {
        return packageName.substring(packageName.lastIndexOf('.') + 1);
    }

    /** Neither examples nor pages, nor any other module. */
    @Test
    void nobodyElseNamesAClassOfTheRooms() throws IOException {
        Pattern ofARoom = Pattern.compile(Pattern.quote(ROOT) + "\\.(" + String.join("|", ROOMS) + ")\\.");
        assertThat(Mentions.of(ofARoom, Path.of(".."), "(?!spring-boot-starter/).*\\.(java|md|yaml)"))
                .isEmpty();
        assertThat(Mentions.of(ofARoom, Path.of("src"), "test/.*\\.(java|md|yaml)"))
                .contains("Visitor.java: dev.posthorn.spring.setup.");
    }

    @Test
    void onlyWhatUsersOrNeighboursNeedIsPublic() {
        assertThat(Rules.topLevel(main)
                        .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC))
                        .collect(groupingBy(
                                each -> room(each.getPackageName()), mapping(JavaClass::getSimpleName, toSet()))))
                .isEqualTo(Map.of(
                        "spring", Set.of("InboxListener", "NoTransactionException", "Outbox", "OutboxEvent"),
                        "testing", Set.of("PosthornTest", "RecordedOutbox", "RecordingSinks"),
                        "webhook", Set.of("Webhooks"),
                        "settings",
                                Set.of(
                                        "PosthornProperties",
                                        "PropertiesAutoConfiguration",
                                        "Role",
                                        "SubscriptionProperties"),
                        "setup",
                                Set.of(
                                        "DataSources",
                                        "FlywaySchemaAutoConfiguration",
                                        "Json",
                                        "KafkaConnection",
                                        "OutboxDataSource",
                                        "PosthornAutoConfiguration",
                                        "SetupException",
                                        "WatchedDataSource"),
                        "outbox", Set.of("OutboxAutoConfiguration", "RunningRelay", "Traces", "WatchedTransaction"),
                        "relay", Set.of("RelayAutoConfiguration", "RelayConnections", "SubscriptionSource"),
                        "inbox", Set.of("InboxAutoConfiguration"),
                        "metrics", Set.of("PosthornHealthAutoConfiguration", "PosthornMetricsAutoConfiguration"),
                        "operating", Set.of("EndpointAutoConfiguration", "OperatingAutoConfiguration")));
    }
}
