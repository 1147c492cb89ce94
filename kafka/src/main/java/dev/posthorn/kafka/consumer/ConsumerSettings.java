package dev.posthorn.kafka.consumer;

import static java.util.Map.entry;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The Kafka clients' settings: our defaults, what a user may change, and what nobody may. */
final class ConsumerSettings {

    /** How long a dead letter may take to reach its topic. */
    static final Duration SEND_TIMEOUT = Duration.ofSeconds(10);

    private static final Map<String, String> DEFAULTS = Map.of(
            // A topic that is made after the consumer's start is noticed by then.
            "metadata.max.age.ms",
            "30000",
            // A new consumer that began at the end would miss what was there before it.
            "auto.offset.reset",
            "earliest",
            "max.poll.records",
            "2000",
            // Members that stay keep their partitions while others come and go.
            "partition.assignment.strategy",
            CooperativeStickyAssignor.class.getName(),
            "enable.metrics.push",
            "false");

    private static final Map<String, String> REMEDIES = Map.ofEntries(
            entry("bootstrap.servers", "give the addresses to InboxConsumer.builder(...)"),
            entry("group.id", "leave it out, it is the consumer's name"),
            entry("client.id", "leave it out, it follows from the consumer's name"),
            entry("enable.auto.commit", "leave it out: an offset is committed when everything before it is done"),
            entry("auto.commit.interval.ms", "leave it out: an offset is committed when everything before it is done"),
            entry("key.deserializer", "leave it out and give a reader(...) for records of another form"),
            entry("value.deserializer", "leave it out and give a reader(...) for records of another form"));

    private final String bootstrapServers;
    private final String consumer;
    private final Map<String, String> own;

    ConsumerSettings(String bootstrapServers, String consumer, Map<String, String> own) {
        own.keySet().forEach(ConsumerSettings::requireAllowed);
        this.bootstrapServers = bootstrapServers;
        this.consumer = consumer;
        this.own = Map.copyOf(own);
    }

    private static void requireAllowed(String name) {
        String remedy = REMEDIES.get(name);
        if (remedy != null) {
            throw refuse("setting '" + name + "' cannot be set; " + remedy);
        }
        if (!ConsumerConfig.configNames().contains(name)) {
            throw refuse("setting '" + name + "' is unknown to Kafka's consumer; look for a typing error");
        }
    }

    static PosthornException refuse(String message) {
        return new PosthornException(ErrorCode.INVALID_SETTING, "Kafka consumer: " + message);
    }

    Map<String, Object> consumer() {
        Map<String, Object> all = new HashMap<>(DEFAULTS);
        all.putAll(own);
        if ("consumer".equals(own.get(ConsumerConfig.GROUP_PROTOCOL_CONFIG))) {
            // With this protocol the broker assigns.
            all.remove(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);
        }
        all.put("bootstrap.servers", bootstrapServers);
        all.put("group.id", consumer);
        all.put("client.id", "posthorn-" + consumer);
        all.put("enable.auto.commit", "false");
        all.put("key.deserializer", ByteArrayDeserializer.class.getName());
        all.put("value.deserializer", ByteArrayDeserializer.class.getName());
        return all;
    }

    /** For a replay of dead letters, which is no member of the group: it has offsets of its own. */
    Map<String, Object> replayConsumer() {
        Map<String, Object> all = consumer();
        all.put("group.id", consumer + DeadLetterRecord.SUFFIX);
        all.put("client.id", "posthorn-" + consumer + "-replay");
        all.put("allow.auto.create.topics", "false");
        all.put("auto.offset.reset", "earliest");
        all.remove("group.instance.id");
        return all;
    }

    /** How many records one poll brings at most. */
    int mostAtOnce() {
        return Integer.parseInt(String.valueOf(consumer().get(ConsumerConfig.MAX_POLL_RECORDS_CONFIG)));
    }

    /** For dead letters: what a producer knows of the same settings, those for security above all. */
    Map<String, Object> producer() {
        Map<String, Object> all = new HashMap<>();
        own.forEach((name, value) -> {
            if (ProducerConfig.configNames().contains(name)) {
                all.put(name, value);
            }
        });
        all.put("bootstrap.servers", bootstrapServers);
        all.put("client.id", "posthorn-" + consumer + "-dead-letters");
        all.put("acks", "all");
        all.put("enable.idempotence", "true");
        all.put("max.block.ms", Long.toString(SEND_TIMEOUT.toMillis()));
        all.put("key.serializer", ByteArraySerializer.class.getName());
        all.put("value.serializer", ByteArraySerializer.class.getName());
        return all;
    }
}
