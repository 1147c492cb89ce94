package dev.posthorn.spring.setup;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;

/** A Kafka that is no setting but a service, as by {@code @ServiceConnection}. Apart, because spring-boot-kafka may be missing. */
final class KafkaService {

    /** Spring Boot's own form of the settings; it tells localhost:9092 where there are none. */
    private static final String OF_SETTINGS = "PropertiesKafkaConnectionDetails";

    private KafkaService() {}

    static @Nullable String bootstrapServers(BeanFactory beans) {
        KafkaConnectionDetails details =
                beans.getBeanProvider(KafkaConnectionDetails.class).getIfUnique();
        return details == null || details.getClass().getSimpleName().equals(OF_SETTINGS)
                ? null
                : String.join(",", details.getBootstrapServers());
    }
}
