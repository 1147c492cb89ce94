package dev.posthorn.spring.setup;

import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import org.flywaydb.core.Flyway;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** Posthorn's tables as a part of the application's migrations. */
@AutoConfiguration(
        // So that a Flyway that does not run is told before the tables are missed.
        before = PosthornAutoConfiguration.class,
        beforeName = "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration")
@ConditionalOnProperty(name = "posthorn.schema.install", havingValue = "flyway")
public final class FlywaySchemaAutoConfiguration {

    private static final String REMEDY =
            "Add org.springframework.boot:spring-boot-starter-flyway and org.flywaydb:flyway-database-postgresql, or choose"
                    + " startup or none";

    FlywaySchemaAutoConfiguration() {}

    private static SetupException withoutFlyway(String why) {
        return new SetupException("posthorn.schema.install is flyway, but " + why, REMEDY);
    }

    /** The usual case. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Flyway.class)
    static class WithFlyway {

        /** Spring Boot hands all Java migrations that are beans to its Flyway. */
        @Bean
        FlywaySchema posthornFlywaySchema(SchemaName name) {
            return new FlywaySchema(new Schema(name));
        }

        @Bean
        @Lazy(false)
        InitializingBean posthornFlywayCheck(ObjectProvider<Flyway> flyway) {
            return () -> {
                if (flyway.stream().findAny().isEmpty()) {
                    throw withoutFlyway("no Flyway runs in this application");
                }
            };
        }
    }

    /** A mistake. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.flywaydb.core.Flyway")
    static class WithoutFlyway {

        @Bean
        @Lazy(false)
        InitializingBean posthornFlywayCheck() {
            return () -> {
                throw withoutFlyway("Flyway is not on the class path");
            };
        }
    }
}
