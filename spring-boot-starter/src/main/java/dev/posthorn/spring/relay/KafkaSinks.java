package dev.posthorn.spring.relay;

import dev.posthorn.kafka.KafkaSink;
import dev.posthorn.sink.Sink;
import dev.posthorn.spring.settings.SubscriptionProperties;
import dev.posthorn.spring.setup.KafkaConnection;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** Apart from others, because posthorn-kafka may be missing. */
final class KafkaSinks {

    private KafkaSinks() {}

    static Sink create(String property, SubscriptionProperties.Kafka settings, KafkaConnection kafka) {
        KafkaSink.Builder sink = KafkaSink.builder(kafka.requireServers(
                settings.bootstrapServers(),
                property,
                ", and " + property + ".bootstrap-servers for this subscription alone"));
        if (settings.topic() != null) {
            sink.topic(settings.topic());
        }
        settings.topics().forEach(sink::topicFor);
        kafka.settings(ProducerConfig.configNames(), ConsumerConfig.configNames(), settings.properties())
                .forEach(sink::setting);
        return sink.build();
    }
}
