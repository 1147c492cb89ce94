package dev.posthorn;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import dev.posthorn.relay.Relay;
import dev.posthorn.testkit.architecture.Mentions;
import dev.posthorn.testkit.architecture.ModuleArchitecture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shape of core, and for each rule a small wrong class that it catches. */
class ArchitectureTest extends ModuleArchitecture {

    private static final String ROOT = "dev.posthorn";
    private static final String MAIN_OF_OTHERS = "(?!core/|simulation/|mutants/)([^/]+/){1,2}src/main/java/.*";
    private static final Pattern CLOSED =
            Pattern.compile("dev\\.posthorn\\.relay\\.(store|budget|lane|lane\\.trouble|front|postgres)\\.\\w+");
    private static final String FIXTURES = "dev.posthorn.architecture.fixtures";

    /** Their common root is above them in the sources, and below them in the tests. */
    @Override
    protected JavaClasses withTests() {
        return tests.that(not(resideInAPackage(ROOT)));
    }

    @Test
    void packagesKnowOnlyThoseBelowThem() {
        packageOrder(ROOT).check(main);
    }

    @Test
    void theRoomsOfTheRelayKnowOnlyThoseBelowThem() {
        roomOrder(ROOT + ".relay").check(main.that(resideInAPackage(ROOT + ".relay..")));
    }

    /** What is public there is public for the other rooms, and for those who run the relay's own classes elsewhere. */
    @Test
    void otherModulesComeIntoNoRoomThatIsNotForUsers(@TempDir Path wrong) throws IOException {
        assertThat(Mentions.of(CLOSED, Path.of(".."), MAIN_OF_OTHERS)).isEmpty();

        Path file = wrong.resolve("server/src/main/java/One.java");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "import dev.posthorn.relay.lane.Troubles;");
        assertThat(Mentions.of(CLOSED, wrong, MAIN_OF_OTHERS))
                .containsExactly("One.java: dev.posthorn.relay.lane.Troubles");
    }

    /** By {@code relay.lanes().get(0).lease()} anybody could make a lane trust a lease that had ended. */
    @Test
    void aRelayHandsOutNothingOfItsRooms() {
        assertThat(Stream.of(Relay.class.getMethods())
                        .filter(method -> CLOSED.matcher(
                                        method.getGenericReturnType().getTypeName())
                                .find()))
                .isEmpty();
    }

    @Test
    void anArrowUpwardsBetweenRoomsIsSeen() {
        assertCatches(roomOrder(FIXTURES + ".rooms"), "rooms", "rooms.store.StoreThatKnowsALane");
    }

    @Test
    void coreNeedsOnlyTheJdkSlf4jAndAnnotations() {
        fewDependencies(ROOT).check(main);
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
    void aFurtherDependencyIsSeen() {
        assertCatches(fewDependencies(FIXTURES + ".heavy"), "heavy", "org.postgresql.PGConnection");
    }

    /**
     * error ← event ← log, sink ← audit, subscription ← relay ← deadletter, status ← inbox ← webhook ← (root) ← testing; whoever
     * adds a package gives it a place here.
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
                .layer("subscription")
                .definedBy(root + ".subscription..")
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
                        "log",
                        "sink",
                        "subscription",
                        "relay",
                        "deadletter",
                        "replay",
                        "status",
                        "inbox",
                        "webhook",
                        "root",
                        "testing")
                .whereLayer("log")
                .mayOnlyBeAccessedByLayers(
                        "subscription", "relay", "audit", "deadletter", "replay", "status", "inbox", "root", "testing")
                .whereLayer("sink")
                .mayOnlyBeAccessedByLayers(
                        "subscription", "relay", "audit", "deadletter", "replay", "status", "inbox", "root", "testing")
                .whereLayer("subscription")
                .mayOnlyBeAccessedByLayers("relay", "deadletter", "status", "inbox", "root", "testing")
                .whereLayer("relay")
                .mayOnlyBeAccessedByLayers("deadletter", "replay", "status", "inbox", "root", "testing")
                .whereLayer("deadletter")
                .mayOnlyBeAccessedByLayers("replay", "inbox", "root", "testing")
                .whereLayer("audit")
                .mayOnlyBeAccessedByLayers("relay", "deadletter", "replay", "root", "testing")
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

    /** store ← budget ← lane.trouble, front ← lane, store ← postgres, store ← retention, and the relay above all of them. */
    private static ArchRule roomOrder(String root) {
        return layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .withOptionalLayers(true)
                .layer("store")
                .definedBy(root + ".store")
                .layer("budget")
                .definedBy(root + ".budget")
                .layer("trouble")
                .definedBy(root + ".lane.trouble")
                .layer("lane")
                .definedBy(root + ".lane")
                .layer("front")
                .definedBy(root + ".front")
                .layer("postgres")
                .definedBy(root + ".postgres")
                .layer("retention")
                .definedBy(root + ".retention")
                .layer("relay")
                .definedBy(root)
                .whereLayer("store")
                .mayOnlyBeAccessedByLayers("budget", "trouble", "lane", "front", "postgres", "retention", "relay")
                .whereLayer("budget")
                .mayOnlyBeAccessedByLayers("trouble", "lane", "front", "relay")
                .whereLayer("trouble")
                .mayOnlyBeAccessedByLayers("lane")
                .whereLayer("lane")
                .mayOnlyBeAccessedByLayers("relay")
                .whereLayer("front")
                .mayOnlyBeAccessedByLayers("lane", "relay")
                .whereLayer("postgres")
                .mayOnlyBeAccessedByLayers("relay")
                .whereLayer("retention")
                .mayOnlyBeAccessedByLayers("relay")
                .whereLayer("relay")
                .mayNotBeAccessedByAnyLayer()
                .ensureAllClassesAreContainedInArchitecture();
    }

    private static ArchRule fewDependencies(String root) {
        return classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        root + "..", "java..", "javax.crypto..", "javax.sql..", "org.slf4j..", "org.jspecify..");
    }

    private void assertCatches(ArchRule rule, String folder, String culprit) {
        JavaClasses wrong = fixtures.that(resideInAPackage(FIXTURES + "." + folder + ".."));
        assertThat(rule.evaluate(wrong).getFailureReport().toString()).contains(culprit);
    }
}
