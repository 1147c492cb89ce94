package dev.posthorn.testkit.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaCodeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The shape of this module, and for each rule that all share something wrong that it catches. */
class ArchitectureTest extends ModuleArchitecture {

    private static final String FIXTURES = "dev.posthorn.testkit.architecture.fixtures";

    @Test
    void aCycleIsSeen() {
        assertThat(Rules.noCycles().evaluate(fixtures).getFailureReport().toString())
                .contains("Cycle detected");
    }

    @Test
    void aCrowdedPackageIsSeen() {
        assertThat(Rules.crowded(fixtures, 1)).containsOnlyKeys(FIXTURES + ".names");
    }

    @Test
    void aNameThatIsUsedTwiceIsSeen() {
        assertThat(Rules.namedTwice(fixtures)).containsExactly("Twin");
    }

    @Test
    void aSeventhValueIsSeen() {
        assertThat(Rules.greedy(fixtures).map(JavaCodeUnit::getFullName))
                .singleElement()
                .asString()
                .contains("left.Twin.<init>");
    }

    @ParameterizedTest
    @ValueSource(strings = {"EventUtil", "EventHelper", "EventManager", "EventImpl", "AbstractEvent"})
    void aNameThatTellsNothingIsSeen(String name) {
        assertThat(Rules.tellingNames()
                        .evaluate(fixtures.that(resideInAPackage("..names..")))
                        .getFailureReport()
                        .toString())
                .contains(name);
    }
}
