package dev.posthorn;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.net.URISyntaxException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The shape of core, and for each rule a small wrong class that it catches. */
class ArchitectureTest {

    private static final String ROOT = "dev.posthorn";
    private static final String FIXTURES = "dev.posthorn.architecture.fixtures";

    private static JavaClasses core;
    private static JavaClasses fixtures;

    @BeforeAll
    static void readClasses() throws URISyntaxException {
        // A dependency's name is all that the rules look at; to read the JDK as well takes seconds.
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
        core = new ClassFileImporter().importPath(ChildJvm.homeOf(Outbox.class));
        fixtures = new ClassFileImporter()
                .importPath(ChildJvm.homeOf(ArchitectureTest.class).resolve(FIXTURES.replace('.', '/')));
    }

    @AfterAll
    static void readAsBefore() {
        ArchConfiguration.get().reset();
    }

    @Test
    void packagesKnowOnlyThoseBelowThem() {
        packageOrder(ROOT).check(core);
    }

    @Test
    void packagesFormNoCycle() {
        noCycles(ROOT).check(core);
    }

    @Test
    void coreNeedsOnlyTheJdkSlf4jAndAnnotations() {
        fewDependencies(ROOT).check(core);
    }

    @Test
    void noClassIsNamedAfterNothing() {
        tellingNames().check(core);
    }

    @Test
    void anArrowUpwardsIsSeen() {
        assertCatches(packageOrder(FIXTURES + ".upwards"), "upwards", "upwards.event.EventThatKnowsItsLog");
    }

    @Test
    void anArrowBetweenLogAndSinkIsSeen() {
        assertCatches(packageOrder(FIXTURES + ".sideways"), "sideways", "sideways.log.LogThatKnowsASink");
        assertCatches(packageOrder(FIXTURES + ".sideways"), "sideways", "sideways.sink.SinkThatKnowsTheLog");
    }

    @Test
    void anArrowBetweenDeadLettersAndStatusIsSeen() {
        String wrong = FIXTURES + ".lookers";
        assertCatches(packageOrder(wrong), "lookers", "lookers.deadletter.DeadLetterThatKnowsItsStatus");
        assertCatches(packageOrder(wrong), "lookers", "lookers.status.StatusThatKnowsItsDeadLetter");
    }

    @Test
    void anArrowFromTheRelayToThoseWhoLookAtItsRowsIsSeen() {
        assertCatches(packageOrder(FIXTURES + ".lookers"), "lookers", "lookers.relay.LaneThatKnowsAStatus");
    }

    @Test
    void anArrowToTheInboxFromBelowIsSeen() {
        assertCatches(packageOrder(FIXTURES + ".below"), "below", "below.relay.LaneThatKnowsAnInbox");
        assertCatches(packageOrder(FIXTURES + ".below"), "below", "below.status.StatusThatKnowsAnInbox");
    }

    @Test
    void aPackageThatHasNoPlaceInTheOrderIsSeen() {
        assertCatches(packageOrder(FIXTURES + ".unplaced"), "unplaced", "unplaced.attic.ClassWithoutAPlace");
    }

    @Test
    void aCycleIsSeen() {
        assertCatches(noCycles(FIXTURES + ".sideways"), "sideways", "Cycle detected");
    }

    @Test
    void aFurtherDependencyIsSeen() {
        assertCatches(fewDependencies(FIXTURES + ".heavy"), "heavy", "org.postgresql.PGConnection");
    }

    @Test
    void anEmptyNameIsSeen() {
        for (String name : new String[] {"EventUtil", "EventHelper", "EventManager", "EventImpl", "AbstractEvent"}) {
            assertCatches(tellingNames(), "names", name);
        }
    }

    /**
     * error ← event ← log, sink ← relay ← deadletter, status ← inbox ← webhook ← (root) ← testing; whoever adds a package
     * gives it a place here.
     */
    private static ArchRule packageOrder(String root) {
        return layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .withOptionalLayers(true)
                .layer("error")
                .definedBy(root + ".error..")
                .layer("event")
                .definedBy(root + ".event..")
                .layer("log")
                .definedBy(root + ".log..")
                .layer("sink")
                .definedBy(root + ".sink..")
                .layer("relay")
                .definedBy(root + ".relay..")
                .layer("audit")
                .definedBy(root + ".audit..")
                .layer("deadletter")
                .definedBy(root + ".deadletter..")
                .layer("replay")
                .definedBy(root + ".replay..")
                .layer("status")
                .definedBy(root + ".status..")
                .layer("inbox")
                .definedBy(root + ".inbox..")
                .layer("webhook")
                .definedBy(root + ".webhook..")
                .layer("root")
                .definedBy(root)
                .layer("testing")
                .definedBy(root + ".testing..")
                .whereLayer("event")
                .mayOnlyBeAccessedByLayers(
                        "log", "sink", "relay", "deadletter", "replay", "status", "inbox", "webhook", "root", "testing")
                .whereLayer("log")
                .mayOnlyBeAccessedByLayers(
                        "relay", "audit", "deadletter", "replay", "status", "inbox", "root", "testing")
                .whereLayer("sink")
                .mayOnlyBeAccessedByLayers(
                        "relay", "audit", "deadletter", "replay", "status", "inbox", "root", "testing")
                .whereLayer("relay")
                .mayOnlyBeAccessedByLayers("deadletter", "replay", "status", "inbox", "root", "testing")
                .whereLayer("deadletter")
                .mayOnlyBeAccessedByLayers("replay", "inbox", "root", "testing")
                .whereLayer("audit")
                .mayOnlyBeAccessedByLayers("deadletter", "replay", "root", "testing")
                .whereLayer("replay")
                .mayOnlyBeAccessedByLayers("root", "testing")
                .whereLayer("status")
                .mayOnlyBeAccessedByLayers("inbox", "root", "testing")
                .whereLayer("inbox")
                .mayOnlyBeAccessedByLayers("webhook", "root", "testing")
                .whereLayer("webhook")
                .mayOnlyBeAccessedByLayers("root", "testing")
                .whereLayer("root")
                .mayOnlyBeAccessedByLayers("testing")
                .whereLayer("testing")
                .mayNotBeAccessedByAnyLayer()
                .ensureAllClassesAreContainedInArchitecture();
    }

    private static ArchRule noCycles(String root) {
        return slices().matching(root + ".(*)..").should().beFreeOfCycles();
    }

    private static ArchRule fewDependencies(String root) {
        return classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        root + "..", "java..", "javax.crypto..", "javax.sql..", "org.slf4j..", "org.jspecify..");
    }

    private static ArchRule tellingNames() {
        return noClasses()
                .should()
                .haveNameMatching(".*(Util|Utils|Helper|Manager|Impl)(\\$.*)?")
                .orShould()
                .haveNameMatching("(.*[.$])?Abstract[^.$]*");
    }

    private static void assertCatches(ArchRule rule, String folder, String culprit) {
        JavaClasses wrong = fixtures.that(resideInAPackage(FIXTURES + "." + folder + ".."));
        assertThat(rule.evaluate(wrong).getFailureReport().toString()).contains(culprit);
    }
}
