package dev.posthorn.faults;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import dev.posthorn.testkit.architecture.ModuleArchitecture;
import dev.posthorn.testkit.architecture.Rules;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The shape of this module, and two small wrong classes that a rule of its own catches. */
class ArchitectureTest extends ModuleArchitecture {

    private static final String ROOT = "dev.posthorn.faults";
    private static final String FIXTURES = ROOT + ".fixtures";

    /** What runs are made of. */
    private static final String[] HARNESS = {ROOT + ".harness", ROOT + ".load", ROOT + ".delivery", ROOT + ".killpoint"
    };

    @Test
    void runsKnowTheHarnessAndNoOtherRun() {
        separateRuns(ROOT).check(both);
        assertThatThrownBy(() -> separateRuns(FIXTURES).check(fixtures)).hasMessageContaining("one.Twin");
    }

    @Test
    void noPackageIsCrowdedByItsTests() {
        assertThat(Rules.crowded(both, Rules.MOST_CLASSES)).isEmpty();
    }

    @Test
    void nothingNestedHasTheNameOfAnother() {
        Stream<String> names = Rules.topLevel(both).map(JavaClass::getSimpleName);
        assertThat(both.stream().filter(JavaClass::isMemberClass).map(JavaClass::getSimpleName))
                .isNotEmpty()
                .doesNotContainAnyElementsOf(names.toList());
    }

    private static ArchRule separateRuns(String root) {
        return slices().matching(root + ".(*)..")
                .should()
                .notDependOnEachOther()
                .ignoreDependency(alwaysTrue(), resideInAnyPackage(HARNESS));
    }
}
