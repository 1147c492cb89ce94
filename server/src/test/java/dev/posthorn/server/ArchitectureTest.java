package dev.posthorn.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;

import com.tngtech.archunit.core.domain.JavaClasses;
import dev.posthorn.testkit.architecture.ModuleArchitecture;
import java.lang.annotation.Annotation;
import java.util.List;
import org.springframework.context.annotation.Bean;

class ArchitectureTest extends ModuleArchitecture {

    /** The root starts all packages in the sources, and has what all of them use in the tests. */
    @Override
    protected JavaClasses withTests() {
        return tests.that(not(resideInAPackage("dev.posthorn.server")));
    }

    /** Spring puts together what a bean needs. */
    @Override
    protected List<Class<? extends Annotation>> byContainer() {
        return List.of(Bean.class);
    }
}
