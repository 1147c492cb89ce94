package dev.posthorn.server.subscriptions.sinks;

import dev.posthorn.kafka.KafkaSink;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.sink.Sink;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Events are sent to topics of Kafka.
 *
 * @param bootstrapServers host:port, several separated by commas
 * @param topic may hold {aggregateType}, {type} and {source}; left out: {aggregateType}.events
 * @param topicsByType other topics for some types
 * @param settings of Kafka's producer; those that look like secrets are treated as such
 */
public record KafkaDocument(
        @Nullable String bootstrapServers,
        @Nullable String topic,
        @Nullable Map<String, String> topicsByType,
        @Nullable Map<String, String> settings)
        implements SinkDocument {

    @Override
    public Stream<String> missing() {
        return CheckedBuilder.missing("sink.bootstrapServers", bootstrapServers);
    }

    @Override
    public KafkaSink build(SinkContext context) {
        KafkaSink.Builder builder = KafkaSink.builder(Objects.requireNonNull(bootstrapServers));
        CheckedBuilder<KafkaSink.Builder, KafkaSink> assembly = CheckedBuilder.of(
                        "sink.bootstrapServers", builder, KafkaSink.Builder::build)
                .add("sink.topic", topic, KafkaSink.Builder::topic);
        if (topicsByType != null) {
            topicsByType.forEach((type, template) ->
                    assembly.add("sink.topicsByType." + type, template, (b, text) -> b.topicFor(type, text)));
        }
        if (settings != null) {
            settings.forEach(
                    (name, value) -> assembly.add("sink.settings." + name, value, (b, text) -> b.setting(name, text)));
        }
        return assembly.build();
    }

    /** Brokers are ours, so any address will do. */
    @Override
    public Optional<Violation> refusal(Sink built, SinkContext context) {
        return Optional.empty();
    }

    @Override
    public String toString() {
        return "Kafka at " + bootstrapServers;
    }
}
