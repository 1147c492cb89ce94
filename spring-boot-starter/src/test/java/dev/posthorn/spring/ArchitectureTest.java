package dev.posthorn.spring;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** What a user sees of the starter, and that its packages form no cycle. */
class ArchitectureTest {

    private final JavaClasses starter = new ClassFileImporter()
            .importUrl(Outbox.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void packagesFormNoCycle() {
        slices().matching("dev.posthorn.spring.(**)").should().beFreeOfCycles().check(starter);
    }

    @Test
    void onlyWhatUsersNeedIsPublic() {
        assertThat(starter)
                .filteredOn(each -> each.getPackageName().equals("dev.posthorn.spring"))
                .filteredOn(each -> each.getModifiers().contains(JavaModifier.PUBLIC) && each.isTopLevelClass())
                .extracting(JavaClass::getSimpleName)
                .containsExactlyInAnyOrder(
                        "FlywaySchemaAutoConfiguration",
                        "InboxAutoConfiguration",
                        "InboxListener",
                        "NoTransactionException",
                        "Outbox",
                        "OutboxDataSource",
                        "OutboxEvent",
                        "PosthornAutoConfiguration",
                        "RelayAutoConfiguration",
                        "WithoutDataSourceAutoConfiguration");
    }
}
