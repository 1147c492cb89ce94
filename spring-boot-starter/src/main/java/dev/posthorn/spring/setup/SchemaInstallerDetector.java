package dev.posthorn.spring.setup;

import java.util.Set;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;

/** Makes Spring Boot create whatever uses the database after the installer. */
final class SchemaInstallerDetector extends AbstractBeansOfTypeDatabaseInitializerDetector {

    @Override
    protected Set<Class<?>> getDatabaseInitializerBeanTypes() {
        return Set.of(SchemaInstaller.class);
    }
}
