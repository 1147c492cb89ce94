package dev.posthorn.kafka;

import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Delivers events to Kafka topics as CloudEvents in the Kafka protocol's binary form: the record's value is the payload
 * as it is, its key the event's key, and everything else is in its headers.
 *
 * <p>Order is kept per key and topic. A key whose events go to several topics (a template with {@code {type}}, or
 * {@link Builder#topicFor}) has no order between them, as no consumer of Kafka could see one.
 */
public final class KafkaSink implements Sink {

    private final KafkaSettings settings;
    private final TopicRules topics;

    private KafkaSink(Builder builder) {
        this.settings = new KafkaSettings(builder.bootstrapServers, builder.settings);
        this.topics = new TopicRules(builder.topic, builder.topicsByType);
    }

    /** A sink that finds its cluster by these {@code host:port} addresses, separated by commas. */
    public static Builder builder(String bootstrapServers) {
        return new Builder(bootstrapServers);
    }

    @Override
    public boolean keepsOrder() {
        return true;
    }

    @Override
    public Channel open(String lane, Duration timeout) {
        KafkaChannel channel = new KafkaChannel(lane, settings.producer(lane, timeout), topics, settings.secrets());
        channel.start();
        return channel;
    }

    @Override
    public String toString() {
        return "Kafka at " + settings.bootstrapServers() + ", topic " + topics;
    }

    /** A sink's settings; all but the addresses have defaults. {@link #build()} checks them. */
    public static final class Builder {

        private final String bootstrapServers;
        private final Map<String, String> settings = new LinkedHashMap<>();
        private final Map<String, String> topicsByType = new LinkedHashMap<>();
        private String topic = "{aggregateType}.events";

        private Builder(String bootstrapServers) {
            this.bootstrapServers = Objects.requireNonNull(bootstrapServers, "bootstrapServers");
        }

        /**
         * The topic of an event, with the placeholders {@code {aggregateType}}, {@code {type}} and {@code {source}}. An
         * event without an aggregate type has the part of its type before the first dot in its place. Left out:
         * <code>{aggregateType}.events</code>.
         */
        public Builder topic(String template) {
            this.topic = Objects.requireNonNull(template, "template");
            return this;
        }

        /** Another topic for the events of exactly this type, with the same placeholders. */
        public Builder topicFor(String type, String template) {
            topicsByType.put(Objects.requireNonNull(type, "type"), Objects.requireNonNull(template, "template"));
            return this;
        }

        /**
         * A setting of Kafka's producer: security ({@code security.*}, {@code sasl.*}, {@code ssl.*}), sizes and
         * buffers, connections and metadata. Those that order and durability rest on are fixed.
         */
        public Builder setting(String name, String value) {
            settings.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
            return this;
        }

        public KafkaSink build() {
            return new KafkaSink(this);
        }
    }
}
