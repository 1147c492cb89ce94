package dev.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaSinkSettingsTest {

    @ParameterizedTest
    @CsvSource({
        "linger.ms, 5",
        "batch.size, 1000",
        "compression.type, zstd",
        "max.request.size, 5000000",
        "security.protocol, SSL",
        "ssl.truststore.location, trust.p12",
        "sasl.mechanism, SCRAM-SHA-512",
        "reconnect.backoff.max.ms, 100",
        "socket.connection.setup.timeout.ms, 100"
    })
    void takesWhatHarmsNeitherOrderNorDurability(String name, String value) {
        assertThatCode(() -> sink().setting(name, value).build()).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "acks",
                "enable.idempotence",
                "retries",
                "delivery.timeout.ms",
                "request.timeout.ms",
                "max.block.ms",
                "max.in.flight.requests.per.connection",
                "key.serializer",
                "value.serializer",
                "transactional.id",
                "partitioner.class",
                "partitioner.ignore.keys",
                "interceptor.classes",
                "bootstrap.servers",
                "client.id"
            })
    void refusesASettingThatOrderOrDurabilityRestOnAndSaysWhatToDo(String name) {
        assertRefused(sink().setting(name, "1"))
                .hasMessageContaining("'" + name + "'")
                .hasMessageMatching("(?s).*(leave it out|give the addresses|remove it).*");
    }

    @Test
    void refusesAnUnknownSettingAndAnImpossibleValue() {
        assertRefused(sink().setting("ssl.trustore.location", "x")).hasMessageContaining("typing error");
        assertRefused(sink().setting("linger.ms", "soon")).hasMessageContaining("linger.ms");
        assertRefused(KafkaSink.builder("localhost")).hasMessageContaining("host:port");
    }

    @Test
    void nothingOfASettingShowsInItsText() {
        assertThat(sink().setting("ssl.key.password", "s3cret").build())
                .hasToString("Kafka at localhost:9092, topic {aggregateType}.events");
        assertThat(new KafkaSettings("localhost:9092", Map.of("ssl.key.password", "s3cret"))
                        .secrets()
                        .hiddenIn("cannot open with s3cret"))
                .isEqualTo("cannot open with [hidden]");
    }

    @Test
    void theProducersWaitsEndBeforeTheLanes() {
        Map<String, Object> producer =
                new KafkaSettings("localhost:9092", Map.of()).producer("orders/3", Duration.ofSeconds(10));

        assertThat(producer)
                .containsEntry("client.id", "posthorn-orders/3")
                .containsEntry("max.block.ms", "7500")
                .containsEntry("request.timeout.ms", "5000")
                .containsEntry("delivery.timeout.ms", "2147483647")
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", "true");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{aggregate}.events", "{}", "orders events", "{type", "type}", "", "..", "b\u00fccher.{type}"})
    void refusesATemplateThatCannotGiveATopic(String template) {
        assertRefused(sink().topic(template)).hasMessageContaining("'" + template + "'");
        assertRefused(sink().topicFor("order.placed", template)).hasMessageContaining("'" + template + "'");
    }

    @Test
    void refusesATemplateForATypeThatNoTopicCanBeNamedAfter() {
        assertRefused(sink().topicFor("order/placed", "x.{type}")).hasMessageContaining("x.order/placed");
        assertRefused(sink().topicFor("t".repeat(249), "x.{type}")).hasMessageContaining("249");
    }

    @Test
    void fillsATemplateFromTheEvent() {
        assertThat(topic("{aggregateType}.events", "order.placed", "basket")).isEqualTo("basket.events");
        assertThat(topic("{aggregateType}.events", "order.placed", null)).isEqualTo("order.events");
        assertThat(topic("{aggregateType}.events", "heartbeat", null)).isEqualTo("heartbeat.events");
        assertThat(topic("a.{source}-{type}_{aggregateType}", "order.placed", "basket"))
                .isEqualTo("a.shop-order.placed_basket");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-15T10:00:00Z",
                "2026-11-15T10:00:00.007Z",
                "2026-11-15T10:00:00.000070Z",
                "2026-11-15T10:00:00.120000007Z",
                "1969-12-31T23:59:59.999999Z"
            })
    void writesTimesAsRfc3339(String time) {
        assertThat(new TimeText().of(Instant.parse(time))).asString().isEqualTo(time);
    }

    private static String topic(String template, String type, String aggregateType) {
        Event event = Event.builder()
                .source("shop")
                .type(type)
                .aggregateType(aggregateType)
                .json("{}")
                .build();
        return new Topics(new TopicRules(template, Map.of())).of(event).name();
    }

    private static KafkaSink.Builder sink() {
        return KafkaSink.builder("localhost:9092");
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(KafkaSink.Builder builder) {
        return assertThatThrownBy(builder::build)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SETTING));
    }
}
