package dev.posthorn.event;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventTest {

    private static final String HALF_A_PAIR = "order-\ud83d";

    @Test
    void needsOnlySourceTypeAndPayload() {
        Event event = Event.builder()
                .source("shop")
                .type("order.placed")
                .payload(new byte[0])
                .build();

        assertThat(event.id()).isNotNull();
        assertThat(event.version()).isEqualTo(1);
        assertThat(event.contentType()).isEqualTo("application/octet-stream");
        assertThat(event.headers()).isEmpty();
        assertThat(event.aggregateType()).isNull();
        assertThat(event.key()).isNull();
        assertThat(event.sourceId()).isNull();
        assertThat(event.occurredAt()).isNull();
        assertThat(event.deliverAt()).isNull();
    }

    @Test
    void jsonTextIsItsUtf8BytesWithItsContentType() {
        Event event = with(builder -> builder.json("{\"name\":\"Zoë\"}"));

        assertThat(event.contentType()).isEqualTo("application/json");
        assertThat(event.payload()).isEqualTo("{\"name\":\"Zoë\"}".getBytes(UTF_8));
    }

    @Test
    void refusesAMissingSourceTypeOrPayload() {
        refused(Event.builder().type("t").json("{}")).hasMessageContaining("source is missing");
        refused(Event.builder().source("s").json("{}")).hasMessageContaining("type is missing");
        refused(Event.builder().source("s").type("t")).hasMessageContaining("payload is missing");
        refused(builder -> builder.source("")).hasMessageContaining("source is missing");
        refused(builder -> builder.type("")).hasMessageContaining("type is missing");
    }

    @Test
    void tellsEveryRuleThatItBreaksIfItIsAsked() {
        assertThat(Event.builder()
                        .version(0)
                        .header("a b", "x")
                        .header("c", "\n")
                        .faults(EventLimits.DEFAULT))
                .extracting(each -> each.substring(0, each.indexOf(';') < 0 ? 12 : each.indexOf(';')))
                .containsExactly(
                        "source is missing",
                        "type is missing",
                        "version is 0",
                        "payload is missing",
                        "header name ",
                        "header c hol");
        Event.Builder large = Event.builder().source("s").type("t").json("{}");
        assertThat(large.faults(EventLimits.DEFAULT)).isEmpty();
        assertThat(large.faults(EventLimits.DEFAULT.withMaxPayloadBytes(1)))
                .singleElement()
                .asString()
                .startsWith("payload has 2 bytes; the limit is 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"order placed", "order.*", "*", "commandé", "order\nplaced", "order\u0000", " ", "\u007f"})
    void refusesNamesThatAreNotVisibleAsciiOrHoldTheWildcard(String name) {
        String rule = "may hold only visible ASCII characters, without spaces and without '*'";
        refused(builder -> builder.source(name))
                .hasMessageStartingWith("source '")
                .hasMessageContaining(rule);
        refused(builder -> builder.type(name)).hasMessageStartingWith("type '").hasMessageContaining(rule);
        refused(builder -> builder.aggregateType(name))
                .hasMessageStartingWith("aggregateType '")
                .hasMessageContaining(rule);
    }

    @Test
    void showsNoControlCharacterInAMessage() {
        refused(builder -> builder.type("a\u001b[31m\nb")).hasMessageStartingWith("type 'a?[31m?b' may hold");
    }

    @Test
    void takesEveryOtherVisibleAsciiCharacterInAName() {
        StringBuilder all = new StringBuilder();
        for (char c = '!'; c <= '~'; c++) {
            all.append(c == '*' ? "" : c);
        }
        assertThat(with(builder -> builder.type(all.toString())).type()).hasSize(93);
    }

    @Test
    void refusesNamesOfMoreThan255Characters() {
        String limit = " has 256 characters; the limit is 255";
        refused(builder -> builder.source("s".repeat(256))).hasMessage("source" + limit);
        refused(builder -> builder.type("s".repeat(256))).hasMessage("type" + limit);
        refused(builder -> builder.aggregateType("s".repeat(256))).hasMessage("aggregateType" + limit);
        assertThat(with(builder -> builder.type("t".repeat(255))).type()).hasSize(255);
    }

    @Test
    void anEmptyAggregateTypeIsRefusedWithTheAdviceToLeaveItOut() {
        refused(builder -> builder.aggregateType("")).hasMessage("aggregateType is empty; leave it out instead");
        assertThat(with(builder -> builder.aggregateType(null)).aggregateType()).isNull();
    }

    @Test
    void refusesKeysThatAreEmptyTooLongOrCannotBeStored() {
        refused(builder -> builder.key("")).hasMessage("key is empty; leave it out instead");
        refused(builder -> builder.key("k".repeat(1025)))
                .hasMessage("key '" + "k".repeat(80) + "…' has 1025 bytes in UTF-8; the limit is 1024");
        refused(builder -> builder.key("漢".repeat(342)))
                .hasMessage("key '" + "漢".repeat(80) + "…' has 1026 bytes in UTF-8; the limit is 1024");
        String rule = "holds a control character or half a surrogate pair";
        refused(builder -> builder.key(HALF_A_PAIR))
                .hasMessageStartingWith("key '")
                .hasMessageContaining(rule);
        refused(builder -> builder.key("\ude00tail")).hasMessageContaining(rule);
        refused(builder -> builder.key("a\u0000b")).hasMessageContaining(rule);
        refused(builder -> builder.key("a\u0085b")).hasMessageContaining(rule);

        assertThat(with(builder -> builder.key("Größe 日本 \ud83d\ude00 *")).key())
                .isEqualTo("Größe 日本 \ud83d\ude00 *");
        assertThat(with(builder -> builder.key("k".repeat(1024))).key()).hasSize(1024);
        assertThat(with(builder -> builder.key("漢".repeat(341))).key()).hasSize(341);
    }

    @Test
    void refusesIdsThatAreEmptyTooLongOrCannotBeStored() {
        refused(builder -> builder.id("")).hasMessage("id is empty; leave it out instead");
        refused(builder -> builder.id("i".repeat(256))).hasMessage("id has 256 characters; the limit is 255");
        refused(builder -> builder.id(HALF_A_PAIR)).hasMessageContaining("half a surrogate pair");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void refusesAVersionBelowOne(int version) {
        refused(builder -> builder.version(version)).hasMessage("version is " + version + "; it must be at least 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "json", "application/", "/json", "application/json\r\nx: y", "text/plain;\tx", "é/é"})
    void refusesWhatIsNoContentType(String contentType) {
        refused(builder -> builder.contentType(contentType))
                .hasMessageStartingWith("contentType '")
                .hasMessageContaining("is not a media type like application/json (at most 255 characters)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "text/plain; charset=utf-8", "application/vnd.shop.order+json;v=2"})
    void takesAContentType(String contentType) {
        assertThat(with(builder -> builder.contentType(contentType)).contentType())
                .isEqualTo(contentType);
    }

    @Test
    void refusesAContentTypeOfMoreThan255Characters() {
        refused(builder -> builder.contentType("a/" + "b".repeat(254))).hasMessageContaining("at most 255");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "trace parent", "trace:parent", "tracé", "a\r\nb", "(a)", "a,b"})
    void refusesAHeaderNameThatIsNoToken(String name) {
        refused(builder -> builder.header(name, "value"))
                .hasMessageStartingWith("header name '")
                .hasMessageContaining("is not a token of at most 255 characters");
    }

    @Test
    void refusesHeadersThatAreTooLongOrCannotBeStored() {
        refused(builder -> builder.header("h".repeat(256), "v")).hasMessageContaining("at most 255 characters");
        refused(builder -> builder.header("forged", "v\r\nother: w"))
                .hasMessage("header forged holds a control character or half a surrogate pair");
        refused(builder -> builder.header("half", HALF_A_PAIR)).hasMessageContaining("header half holds");
        assertThatThrownBy(() -> Event.builder().header("name", null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void refusesHeadersByWhichPosthornMarksDeliveries() {
        for (String name : List.of("posthorn-test", "Posthorn-Replay", "POSTHORN-", "pOsThOrN-anything")) {
            refused(builder -> builder.header(name, "true")).hasMessageContaining(name + " begins with posthorn-");
        }
    }

    @Test
    void keepsItsOwnCopyOfTheHeaders() {
        Event event = with(builder -> builder.headers(Map.of("tenant", "7")).traceparent("00-1-2-01"));

        assertThat(event.headers()).containsOnly(Map.entry("tenant", "7"), Map.entry("traceparent", "00-1-2-01"));
        assertThatThrownBy(() -> event.headers().put("tenant", "8")).isInstanceOf(UnsupportedOperationException.class);
    }

    /** PostgreSQL reads no such year in the form Java writes it, and the sender would learn it only from the server. */
    @Test
    void refusesTimesOutsideTheYearsOneToNineThousandNineHundredNinetyNine() {
        refused(builder -> builder.deliverAt(Instant.MAX)).hasMessageStartingWith("deliverAt is +1000000000-12-31");
        refused(builder -> builder.occurredAt(Instant.parse("0000-12-31T23:59:59Z")))
                .hasMessageContaining("occurredAt is 0000-12-31T23:59:59Z; it must be in the years 1 to 9999");
        assertThat(with(builder -> builder.deliverAt(Instant.parse("9999-12-31T23:59:59Z")))
                        .deliverAt())
                .isNotNull();
    }

    /** What the database would round: up, and out of the years that it may be in. */
    @Test
    void timesAreCutToTheMicrosecondsThatAreStored() {
        assertThat(with(builder -> builder.occurredAt(Instant.parse("9999-12-31T23:59:59.9999999Z")))
                        .occurredAt())
                .isEqualTo("9999-12-31T23:59:59.999999Z");
        assertThat(with(builder -> builder.deliverAt(Instant.parse("2026-01-01T00:00:00.123456789Z")))
                        .deliverAt())
                .isEqualTo("2026-01-01T00:00:00.123456Z");
        assertThat(with(builder -> builder.occurredAt(Instant.parse("1969-12-31T23:59:59.123456789Z")))
                        .occurredAt())
                .isEqualTo("1969-12-31T23:59:59.123456Z");
    }

    @Test
    void limitsThemselvesMustBePositive() {
        assertThatThrownBy(() -> new EventLimits(0, 1, 1))
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SETTING))
                .hasMessage("event limit maxPayloadBytes is 0; it must be at least 1");
        assertThatThrownBy(() -> new EventLimits(1, 0, 1)).hasMessageContaining("maxHeaders is 0");
        assertThatThrownBy(() -> new EventLimits(1, 1, -1)).hasMessageContaining("maxHeaderBytes is -1");
        assertThat(EventLimits.DEFAULT.withMaxPayloadBytes(7)).isEqualTo(new EventLimits(7, 64, 16 << 10));
    }

    private static Event with(UnaryOperator<Event.Builder> change) {
        return change.apply(Event.builder().source("shop").type("order.placed").json("{}"))
                .build();
    }

    private static AbstractThrowableAssert<?, ?> refused(UnaryOperator<Event.Builder> change) {
        return assertThatThrownBy(() -> with(change))
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_EVENT));
    }

    private static AbstractThrowableAssert<?, ?> refused(Event.Builder incomplete) {
        return assertThatThrownBy(incomplete::build).isInstanceOf(PosthornException.class);
    }
}
