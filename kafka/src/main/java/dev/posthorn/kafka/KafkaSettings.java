package dev.posthorn.kafka;

import static java.util.Map.entry;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.sink.Secrets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The producer's settings: our defaults, what a user may change, and what nobody may. */
final class KafkaSettings {

    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            entry("compression.type", "lz4"),
            // Under load batches fill while five requests are on their way; waiting longer only adds latency.
            entry("linger.ms", "0"),
            entry("batch.size", "131072"),
            entry("buffer.memory", "67108864"),
            // An event of the default greatest size (1 MiB) fits with its headers. What it comes to after compression
            // the broker judges.
            entry("max.request.size", "2097152"),
            // A last report of a producer's metrics must not delay the end of a channel.
            entry("enable.metrics.push", "false"));

    private static final Map<String, String> FIXED = Map.of(
            "enable.idempotence",
            "true",
            "acks",
            "all",
            "max.in.flight.requests.per.connection",
            "5",
            // An event that the producer gave up on by itself could be overtaken: the lane's timer decides instead.
            "delivery.timeout.ms",
            Integer.toString(Integer.MAX_VALUE),
            "key.serializer",
            ByteArraySerializer.class.getName(),
            "value.serializer",
            ByteArraySerializer.class.getName());

    private static final Set<String> ALLOWED = Set.of(
            "linger.ms",
            "batch.size",
            "buffer.memory",
            "max.request.size",
            "client.dns.lookup",
            "client.rack",
            "connections.max.idle.ms",
            "metadata.max.age.ms",
            "metadata.max.idle.ms",
            "send.buffer.bytes",
            "receive.buffer.bytes",
            "enable.metrics.push",
            "partitioner.adaptive.partitioning.enable",
            "partitioner.availability.timeout.ms");

    private static final List<String> ALLOWED_PREFIXES = List.of(
            "security.",
            "sasl.",
            "ssl.",
            "compression.",
            "socket.",
            "reconnect.backoff.",
            "retry.backoff.",
            "metadata.recovery.");

    /** Why a setting is refused and what to do instead. */
    private static final Map<String, String> REMEDIES = Map.ofEntries(
            entry("bootstrap.servers", "give the addresses to KafkaSink.builder(...)"),
            entry("client.id", "leave it out, it is the lane's name"),
            entry("delivery.timeout.ms", "leave it out and set the subscription's timeout"),
            entry("request.timeout.ms", "leave it out and set the subscription's timeout, from which it follows"),
            entry("max.block.ms", "leave it out and set the subscription's timeout, from which it follows"),
            entry("retries", "leave it out: the producer tries again until the subscription's timeout is over"),
            entry("acks", "leave it out: an event counts as delivered only when all in-sync replicas have it"),
            entry("enable.idempotence", "leave it out: the order of a key rests on it"),
            entry("max.in.flight.requests.per.connection", "leave it out: the order of a key rests on it"),
            entry("partitioner.class", "leave it out: Kafka's own partitioner keeps a key in one partition"),
            entry("partitioner.ignore.keys", "leave it out: the order of a key rests on its partition"),
            entry("transactional.id", "leave it out: with a transaction per lane nothing could be pipelined"),
            entry("key.serializer", "leave it out: the key is sent as UTF-8 text"),
            entry("value.serializer", "leave it out: the payload is sent as it was recorded"));

    private static final Pattern ADDRESSES = Pattern.compile("[^,\\s]+:\\d{1,5}(\\s*,\\s*[^,\\s]+:\\d{1,5})*");
    private static final Pattern SECRET = Pattern.compile("password|jaas|secret|\\.key$|keystore\\.key|token");

    private final String bootstrapServers;
    private final Map<String, String> own;

    KafkaSettings(String bootstrapServers, Map<String, String> own) {
        if (!ADDRESSES.matcher(bootstrapServers).matches()) {
            throw refuse("'" + bootstrapServers + "' is not a list of addresses: give host:port, separated by commas");
        }
        own.keySet().forEach(KafkaSettings::requireAllowed);
        this.bootstrapServers = bootstrapServers;
        this.own = Map.copyOf(own);
        try {
            ProducerConfig.configDef().parse(producer("lane", Duration.ofSeconds(1)));
        } catch (ConfigException e) {
            throw refuse(secrets().hiddenIn(String.valueOf(e.getMessage())));
        }
    }

    private static void requireAllowed(String name) {
        if (ALLOWED.contains(name) || ALLOWED_PREFIXES.stream().anyMatch(name::startsWith)) {
            if (!ProducerConfig.configNames().contains(name)) {
                throw refuse("setting '" + name + "' is unknown to Kafka's producer; look for a typing error");
            }
            return;
        }
        String remedy = REMEDIES.get(name);
        throw refuse("setting '" + name + "' cannot be set; "
                + (remedy == null ? "remove it, or use one of " + allowedNames() : remedy));
    }

    private static String allowedNames() {
        return String.join(
                ", ",
                Stream.concat(ALLOWED_PREFIXES.stream().map(prefix -> prefix + "*"), ALLOWED.stream())
                        .sorted()
                        .toList());
    }

    private static PosthornException refuse(String message) {
        return new PosthornException(ErrorCode.INVALID_SETTING, "Kafka sink: " + message);
    }

    /**
     * A lane's producer. Its own waits end before the lane's, so that the lane hears what was waited for; a request
     * that is not answered is tried once more within the lane's timeout.
     */
    Map<String, Object> producer(String lane, Duration timeout) {
        long millis = Math.min(timeout.toMillis(), Integer.MAX_VALUE);
        Map<String, Object> all = new HashMap<>(DEFAULTS);
        all.putAll(own);
        all.putAll(FIXED);
        all.put("bootstrap.servers", bootstrapServers);
        all.put("client.id", "posthorn-" + lane);
        all.put("request.timeout.ms", Long.toString(Math.max(1, millis / 2)));
        all.put("max.block.ms", Long.toString(Math.max(1, millis * 3 / 4)));
        return all;
    }

    String bootstrapServers() {
        return bootstrapServers;
    }

    /** What must not appear in a reason or a log. */
    Secrets secrets() {
        return new Secrets(own.entrySet().stream()
                .filter(each ->
                        SECRET.matcher(each.getKey().toLowerCase(Locale.ROOT)).find())
                .map(Map.Entry::getValue)
                .toList());
    }
}
