package dev.posthorn.spring.setup;

import dev.posthorn.spring.settings.PosthornProperties;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** How the application's Kafka is reached: {@code posthorn.kafka}, and what it leaves out {@code spring.kafka}. */
public record KafkaConnection(@Nullable String bootstrapServers, Map<String, String> properties) {

    private static final String COMMON = "posthorn.kafka.bootstrap-servers";

    private static final String SPRING = "spring.kafka.bootstrap-servers";
    private static final String DETAILS = "org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails";

    /** What a test or a platform says goes before what is configured, as everywhere in Spring Boot. */
    public static KafkaConnection of(PosthornProperties.Kafka settings, Environment environment, BeanFactory beans) {
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

    /**
     * The servers of one who may have its own; refused if nothing names any.
     *
     * @param who needs them, for the message
     * @param remedy another property that could have named them, and for whom
     */
    public String requireServers(@Nullable String own, String who, String remedy) {
        String servers = own == null ? bootstrapServers : own;
        if (servers == null || servers.isBlank()) {
            throw new SetupException(
                    who + " needs Kafka, but nothing says where that is",
                    "Put " + COMMON + ": host:port into application.yaml, or set the environment variable"
                            + " POSTHORN_KAFKA_BOOTSTRAPSERVERS. " + SPRING + " is taken too" + remedy);
        }
        return servers;
    }

    /**
     * The settings of a client: of the common ones those that such a client knows, or none does, so that it is refused by its
     * name; then its own.
     */
    public Map<String, String> settings(Set<String> known, Set<String> knownToOthers, Map<String, String> own) {
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
