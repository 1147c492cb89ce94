package dev.posthorn.spring.relay;

import dev.posthorn.error.PosthornException;
import dev.posthorn.sink.Sink;
import dev.posthorn.spring.settings.SubscriptionProperties;
import dev.posthorn.spring.setup.KafkaConnection;
import dev.posthorn.spring.setup.SetupException;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.util.ClassUtils;

/** Makes the one sink that a subscription's settings describe. */
final class SinkFactory {

    private static final String KINDS = "kafka.*, http.* and sink";

    private final BeanFactory beans;
    private final KafkaConnection kafka;
    private final @Nullable ClassLoader classLoader;

    SinkFactory(BeanFactory beans, KafkaConnection kafka, @Nullable ClassLoader classLoader) {
        this.beans = beans;
        this.kafka = kafka;
        this.classLoader = classLoader;
    }

    /** @param prefix of the subscription's properties, for messages */
    Sink create(String prefix, SubscriptionProperties its) {
        requireOne(prefix, its);
        if (its.sink() != null) {
            return bean(prefix, its.sink());
        }
        if (its.kafka() != null) {
            SubscriptionProperties.Kafka settings = its.kafka();
            requireModule(prefix + ".kafka", "dev.posthorn.kafka.KafkaSink", "posthorn-kafka");
            return made(prefix + ".kafka", () -> KafkaSinks.create(prefix + ".kafka", settings, kafka));
        }
        SubscriptionProperties.Http settings = Objects.requireNonNull(its.http());
        requireModule(prefix + ".http", "dev.posthorn.http.HttpSink", "posthorn-http");
        return made(prefix + ".http", () -> HttpSinks.create(prefix + ".http", settings));
    }

    private static void requireOne(String prefix, SubscriptionProperties its) {
        List<String> given = Stream.of(
                        its.kafka() == null ? "" : prefix + ".kafka",
                        its.http() == null ? "" : prefix + ".http",
                        its.sink() == null ? "" : prefix + ".sink")
                .filter(each -> !each.isEmpty())
                .toList();
        if (given.isEmpty()) {
            throw new SetupException(
                    prefix + " has no sink, so its events would go nowhere",
                    "Set one of " + KINDS + " under " + prefix);
        }
        if (given.size() > 1) {
            throw new SetupException(
                    String.join(" and ", given) + " are both set, but a subscription has one sink",
                    "Remove one of them, or make a second subscription of it");
        }
    }

    private void requireModule(String property, String type, String artifact) {
        if (!ClassUtils.isPresent(type, classLoader)) {
            throw new SetupException(
                    property + " is set, but its sink is not on the class path",
                    "Add the dependency dev.posthorn:" + artifact);
        }
    }

    private Sink bean(String prefix, String name) {
        try {
            return beans.getBean(name, Sink.class);
        } catch (NoSuchBeanDefinitionException e) {
            throw new SetupException(
                    prefix + ".sink names '" + name + "', but there is no bean of that name",
                    "Define a bean '" + name + "' of type dev.posthorn.sink.Sink, or correct the name",
                    e);
        }
    }

    /** The sink's own message names the setting but not where it stands. */
    private static Sink made(String property, Supplier<Sink> sink) {
        try {
            return sink.get();
        } catch (PosthornException e) {
            throw new SetupException(property + ": " + e.getMessage(), "Correct the property under " + property, e);
        }
    }
}
