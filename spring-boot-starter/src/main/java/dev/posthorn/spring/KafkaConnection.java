package dev.posthorn.spring;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** How the application's Kafka is reached: {@code posthorn.kafka}, and what it leaves out {@code spring.kafka}. */
record KafkaConnection(@Nullable String bootstrapServers, Map<String, String> properties) {

    static final String COMMON = "posthorn.kafka.bootstrap-servers";

    private static final String SPRING = "spring.kafka.bootstrap-servers";
    private static final String DETAILS = "org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails";

    /** What a test or a platform says goes before what is configured, as everywhere in Spring Boot. */
    static KafkaConnection of(PosthornProperties.Kafka settings, Environment environment, BeanFactory beans) {
        String servers = ClassUtils.isPresent(DETAILS, KafkaConnection.class.getClassLoader())
                ? KafkaService.bootstrapServers(beans)
                : null;
        if (servers == null) {
            servers = settings.bootstrapServers();
        }
        return new KafkaConnection(servers == null ? springs(environment) : servers, settings.properties());
    }

    /** A list in YAML is a property per entry. */
    private static @Nullable String springs(Environment environment) {
        String servers = environment.getProperty(SPRING);
        if (servers != null) {
            return servers;
        }
        StringBuilder all = new StringBuilder();
        for (int i = 0; environment.containsProperty(SPRING + "[" + i + "]"); i++) {
            all.append(i == 0 ? "" : ",").append(environment.getProperty(SPRING + "[" + i + "]"));
        }
        return all.isEmpty() ? null : all.toString();
    }

    /** @param property that could have named them, for the message */
    String requireServers(@Nullable String own, String property) {
        String servers = own == null ? bootstrapServers : own;
        if (servers == null || servers.isBlank()) {
            throw new SetupException(
                    property + " is needed, but nothing says where Kafka is",
                    "Set " + (property.equals(COMMON) ? "" : property + ", ") + COMMON + " or " + SPRING);
        }
        return servers;
    }

    /**
     * The settings of a client: of the common ones those that such a client knows, or none does, so that it is refused by its
     * name; then its own.
     */
    Map<String, String> settings(Set<String> known, Set<String> knownToOthers, Map<String, String> own) {
        Map<String, String> all = new LinkedHashMap<>();
        properties.forEach((name, value) -> {
            if (known.contains(name) || !knownToOthers.contains(name)) {
                all.put(name, value);
            }
        });
        all.putAll(own);
        return all;
    }
}
