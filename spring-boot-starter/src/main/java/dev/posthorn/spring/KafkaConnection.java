package dev.posthorn.spring;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/** How the application's Kafka is reached: {@code posthorn.kafka}, and what it leaves out {@code spring.kafka}. */
record KafkaConnection(@Nullable String bootstrapServers, Map<String, String> properties) {

    private static final String SPRING = "spring.kafka.bootstrap-servers";

    static KafkaConnection of(PosthornProperties.Kafka settings, Environment environment) {
        String servers = settings.bootstrapServers();
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
                    "Set " + property + ", posthorn.kafka.bootstrap-servers or " + SPRING);
        }
        return servers;
    }

    Map<String, String> and(Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(properties);
        all.putAll(more);
        return all;
    }
}
