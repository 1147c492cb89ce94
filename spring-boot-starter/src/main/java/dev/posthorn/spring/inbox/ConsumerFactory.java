package dev.posthorn.spring.inbox;

import dev.posthorn.inbox.ConsumerListener;
import dev.posthorn.inbox.Transactions;
import dev.posthorn.kafka.consumer.InboxConsumer;
import dev.posthorn.spring.InboxListener;
import dev.posthorn.spring.outbox.Traces;
import dev.posthorn.spring.settings.PosthornProperties;
import dev.posthorn.spring.setup.DataSources;
import dev.posthorn.spring.setup.KafkaConnection;
import dev.posthorn.spring.setup.SetupException;
import dev.posthorn.subscription.RetryPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.springframework.boot.convert.DurationStyle;
import tools.jackson.databind.json.JsonMapper;

/** Makes the consumer that calls a method. */
final class ConsumerFactory {

    private final PosthornProperties properties;
    private final Parts parts;

    /**
     * What consumers need of the application.
     *
     * @param transactions asked for only if there is a listener: an application without one may have no manager
     * @param json asked for only by listeners that take payloads
     * @param placeholders puts values in the place of placeholders
     * @param application the application's name, or nothing
     */
    record Parts(
            DataSources dataSources,
            KafkaConnection kafka,
            Supplier<Transactions> transactions,
            Supplier<JsonMapper> json,
            Optional<Traces> traces,
            List<ConsumerListener> listeners,
            UnaryOperator<String> placeholders,
            String application) {}

    ConsumerFactory(PosthornProperties properties, Parts parts) {
        this.properties = properties;
        this.parts = parts;
    }

    String name(ListenerMethod method) {
        String own = parts.placeholders().apply(method.annotation().consumer());
        String name = own.isEmpty() ? parts.application() : own;
        if (name.isEmpty()) {
            throw new SetupException(
                    method + " has no name for its consumer",
                    "Set spring.application.name, or consumer in the annotation");
        }
        return name;
    }

    InboxConsumer create(ListenerMethod method) {
        method.requireUsable();
        InboxListener annotation = method.annotation();
        InboxConsumer.Builder builder = InboxConsumer.builder(
                        parts.kafka().requireServers(null, method.toString(), ""),
                        parts.dataSources().ofOutbox())
                .name(name(method))
                .topics(topics(annotation))
                .schema(properties.schema().name())
                .retry(retry(annotation))
                .transactions(parts.transactions().get())
                .inboxEntries(properties.listenersEntries())
                .ownRelay(false);
        JsonMapper json = method.needsJson() ? parts.json().get() : JsonMapper.shared();
        parts.traces().ifPresent(traces -> builder.around(traces::around));
        if (method.takesBatches()) {
            builder.batchHandler((connection, events) -> method.handle(events, json));
        } else {
            builder.handler((connection, event) -> method.handle(event, json));
        }
        options(builder, annotation);
        parts.listeners().forEach(builder::listener);
        parts.kafka()
                .settings(ConsumerConfig.configNames(), ProducerConfig.configNames(), own(method))
                .forEach(builder::setting);
        return builder.build();
    }

    private static void options(InboxConsumer.Builder builder, InboxListener annotation) {
        if (annotation.threads() > 0) {
            builder.threads(annotation.threads());
        }
        if (annotation.batchSize() > 0) {
            builder.batchSize(annotation.batchSize());
        }
        if (annotation.deadLetterTopic()) {
            builder.deadLetterTopic();
        }
        if (!annotation.inbox()) {
            builder.withoutInbox();
        }
    }

    /** Of all listeners, then of this one. */
    private Map<String, String> own(ListenerMethod method) {
        Map<String, String> all = new LinkedHashMap<>(properties.inbox().kafkaProperties());
        for (String property : method.annotation().properties()) {
            String[] parts = this.parts.placeholders().apply(property).split("=", 2);
            if (parts.length < 2) {
                throw new SetupException(
                        method + " has the property '" + property + "', which has no value", "Write it as name=value");
            }
            all.put(parts[0].strip(), parts[1].strip());
        }
        return all;
    }

    private String[] topics(InboxListener annotation) {
        return Arrays.stream(annotation.topics())
                .map(parts.placeholders())
                .flatMap(each -> Arrays.stream(each.split("\\s*,\\s*")))
                .toArray(String[]::new);
    }

    private RetryPolicy retry(InboxListener annotation) {
        RetryPolicy otherwise = InboxConsumer.Builder.DEFAULT_RETRY;
        List<Duration> delays = Arrays.stream(annotation.delays())
                .map(parts.placeholders())
                .map(DurationStyle::detectAndParse)
                .toList();
        return new RetryPolicy(
                delays.isEmpty() ? otherwise.delays() : delays,
                annotation.maxAttempts() == 0 ? otherwise.maxAttempts() : annotation.maxAttempts(),
                otherwise.jitter(),
                otherwise.longestWish());
    }
}
