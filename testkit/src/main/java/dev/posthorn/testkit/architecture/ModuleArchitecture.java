package dev.posthorn.testkit.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.posthorn.testkit.ChildJvm;
import java.lang.annotation.Annotation;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * The shape of the module whose test extends this, tests included. Small wrong classes, by which a rule of the module's own is
 * seen to fail, are in packages named {@code fixtures}, and no part of it.
 */
@TestInstance(Lifecycle.PER_CLASS)
public abstract class ModuleArchitecture {

    private static final DescribedPredicate<JavaClass> FIXTURE = resideInAPackage("..fixtures..");

    protected final JavaClasses main;
    protected final JavaClasses tests;
    protected final JavaClasses both;
    protected final JavaClasses fixtures;

    protected ModuleArchitecture() {
        Path ofTests = ChildJvm.homeOf(getClass());
        Path ofMain = ofTests.resolveSibling("classes");
        main = read(from -> from.importPath(ofMain));
        JavaClasses all = read(from -> from.importPath(ofTests));
        tests = all.that(not(FIXTURE));
        both = read(from -> from.importPaths(ofMain, ofTests)).that(not(FIXTURE));
        fixtures = all.that(FIXTURE);
    }

    /** Of another module, which this class is of, because its own tests cannot have these rules. */
    protected ModuleArchitecture(Class<?> other) {
        main = read(from -> from.importPackages(other.getPackageName()));
        both = main;
        tests = main.that(not(alwaysTrue()));
        fixtures = tests;
    }

    /** A dependency's name is all that the rules look at; to read the JDK as well takes seconds. */
    private static JavaClasses read(Function<ClassFileImporter, JavaClasses> reading) {
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
        try {
            return reading.apply(new ClassFileImporter());
        } finally {
            ArchConfiguration.get().reset();
        }
    }

    @Test
    void packagesFormNoCycle() {
        Rules.noCycles().check(main);
    }

    @Test
    void testPackagesFormNoCycle() {
        Rules.noCycles().check(withTests());
    }

    /** Whose packages form no cycle with tests either. */
    protected JavaClasses withTests() {
        return both;
    }

    @Test
    void noPackageIsCrowded() {
        assertThat(Rules.crowded(main, Rules.MOST_CLASSES)).isEmpty();
        assertThat(Rules.crowded(tests, Rules.MOST_CLASSES)).isEmpty();
    }

    @Test
    void noNameIsUsedTwice() {
        assertThat(Rules.namedTwice(both)).isEmpty();
    }

    @Test
    void noClassIsNamedAfterNothing() {
        Rules.tellingNames().check(both);
    }

    @Test
    void nothingTakesMoreValuesThanACallCanShow() {
        assertThat(Rules.greedy(both)
                        .filter(each -> byContainer().stream().noneMatch(each::isAnnotatedWith))
                        .map(JavaCodeUnit::getFullName))
                .isEmpty();
    }

    /** The annotations of what is called by a container alone, which hands over values one by one. */
    protected List<Class<? extends Annotation>> byContainer() {
        return List.of();
    }
}
