package dev.posthorn.spring.settings;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** The check of all properties, whatever else there is. */
@AutoConfiguration
public final class PropertiesAutoConfiguration {

    PropertiesAutoConfiguration() {}

    @Bean
    static PropertiesCheck posthornPropertiesCheck(Environment environment) {
        return new PropertiesCheck(PosthornProperties.class, environment);
    }
}
