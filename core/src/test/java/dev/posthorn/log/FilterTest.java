package dev.posthorn.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.Outbox;
import dev.posthorn.TestDatabase;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which events a filter wants: Java, the reads of a lane and the status view have to agree. */
class FilterTest {

    private static final List<String> NAMES = List.of("tenant", "Tenant", "a'b", "x_%", "traceparent");
    private static final List<String> VALUES =
            List.of("7", "07", "eu", "EU", "", " ", "\"", "\\", "\\\"", "{}", "*", "%", "null", "ü", "u\u0308", "😀");
    private static final List<String> TYPES = List.of("a.x", "a_x", "a%x", "b.x", "b\\x");
    private static final List<String> PATTERNS =
            List.of("a*", "*x", "a_x", "a%x", "b\\x", "*", "b.*", "a*x", "*.*", "**", "*a*x*");

    private static final String BY_CONDITION = "SELECT id FROM posthorn.event WHERE {condition}";

    private static final String STORE = """
            INSERT INTO posthorn.generation (subscription_id, number, lanes, types, aggregate_types, sources, headers)
            VALUES (1, :number, 1, :types::text[], :aggregate_types::text[], :sources::text[], :headers::jsonb)
            """;

    private static final String BY_GENERATION = """
            SELECT e.id FROM posthorn.event e, posthorn.generation g
             WHERE g.number = :number AND posthorn.is_wanted(g, e.type, e.aggregate_type, e.source, e.headers)
            """;

    private final SplittableRandom random = new SplittableRandom(7);

    @Test
    void everyHeaderHasToBeThereExactly() {
        Filter filter = Filter.ALL.header("tenant", "7").header("region", "eu");
        assertThat(filter.wants(carrying(Map.of("tenant", "7", "region", "eu", "more", "x"))))
                .isTrue();
        for (Map<String, String> other : List.of(
                Map.<String, String>of(),
                Map.of("tenant", "7"),
                Map.of("tenant", "7", "region", "EU"),
                Map.of("Tenant", "7", "region", "eu"),
                Map.of("tenant", "eu", "region", "7"))) {
            assertThat(filter.wants(carrying(other))).as("%s", other).isFalse();
        }
        assertThat(Filter.ALL.wants(carrying(Map.of()))).isTrue();
    }

    @Test
    void headersAndPatternsAreWantedTogether() {
        Filter filter = Filter.types("a.*").header("tenant", "7").sources("test");
        assertThat(filter.wants(event("a.x", null, "test", Map.of("tenant", "7"))))
                .isTrue();
        assertThat(filter.wants(event("b.x", null, "test", Map.of("tenant", "7"))))
                .isFalse();
        assertThat(filter.wants(event("a.x", null, "test", Map.of()))).isFalse();
        assertThat(filter.aggregateTypes("order").headers()).isEqualTo(Map.of("tenant", "7"));
    }

    @Test
    void headersReplaceThoseBeforeAndHeaderAddsOne() {
        Filter filter = Filter.ALL.header("a", "1").headers(Map.of("b", "2")).header("c", "3");
        assertThat(filter.headers()).isEqualTo(Map.of("b", "2", "c", "3"));
        assertThat(filter.header("b", "4").headers()).isEqualTo(Map.of("b", "4", "c", "3"));
    }

    @Test
    void theOrderOfHeadersDoesNotMatter() {
        Map<String, String> backwards = new LinkedHashMap<>();
        backwards.put("b", "2");
        backwards.put("a", "\"1\"");
        Filter one = Filter.ALL.headers(backwards);
        Filter other = Filter.ALL.header("a", "\"1\"").header("b", "2");
        assertThat(one).isEqualTo(other);
        assertThat(values(one)).containsEntry("headers", "{\"a\":\"\\\"1\\\"\",\"b\":\"2\"}");
        assertThat(values(other)).containsEntry("headers", values(one).get("headers"));
    }

    @Test
    void whatTheCallerDoesWithTheMapLaterChangesNothing() {
        Map<String, String> given = new HashMap<>(Map.of("tenant", "7"));
        Filter filter = Filter.ALL.headers(given);
        given.put("region", "eu");
        assertThat(filter.headers()).isEqualTo(Map.of("tenant", "7"));
        assertThatThrownBy(() -> filter.headers().put("region", "eu"))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void refusesHeadersThatNoEventCanCarry() {
        refused(() -> Filter.ALL.header("", "7"), "filter headers holds an empty name; leave it out");
        refused(
                () -> Filter.types("a\u0000*"),
                "filter types holds a pattern with a control character or half a surrogate pair, which no event can"
                        + " match; take it out");
        refused(() -> Filter.ALL.header(null, "7"), "filter headers: a name is null");
        refused(() -> Filter.ALL.headers(Collections.singletonMap(null, "7")), "filter headers: a name is null");
        refused(() -> Filter.ALL.header("tenant", null), "filter headers: the value of 'tenant' is null");
        refused(() -> Filter.ALL.header("a\0b", "7"), "filter headers: a name holds a control character");
        for (String bad : List.of("a\0b", "a\nb", "\uD83D", "a\uDE00b")) {
            refused(() -> Filter.ALL.header("tenant", bad), "the value of 'tenant' holds a control character or half");
        }
        assertThat(Filter.ALL.header("tenant", "").headers()).containsEntry("tenant", "");
    }

    @Test
    void javaAndSqlWantTheSame() throws SQLException {
        compare(TestDatabase.create());
    }

    @Test
    void javaAndSqlWantTheSameOnTheOldestPostgresql() throws SQLException {
        compare(TestDatabase.createOnOldest());
    }

    private void compare(TestDatabase database) throws SQLException {
        database.execute("INSERT INTO posthorn.subscription (name) VALUES ('test')");
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            events.add(
                    event(any(TYPES), random.nextBoolean() ? any(TYPES) : null, any(TYPES), anyHeaders(NAMES.size())));
        }
        int some = 0;
        try (Connection connection = database.transaction()) {
            Outbox.create().record(connection, events);
            for (int number = 1; number <= 300; number++) {
                Filter filter = anyFilter();
                List<UUID> wanted =
                        events.stream().filter(filter::wants).map(Event::id).toList();
                Map<String, @Nullable Object> values = values(filter);
                values.put("number", number);
                assertThat(ids(connection, BY_CONDITION.replace("{condition}", filter.condition()), values))
                        .as("%s", filter)
                        .containsExactlyInAnyOrderElementsOf(wanted);
                store(connection, values);
                assertThat(ids(connection, BY_GENERATION, values))
                        .as("stored %s", filter)
                        .containsExactlyInAnyOrderElementsOf(wanted);
                some += !filter.headers().isEmpty() && !wanted.isEmpty() ? 1 : 0;
            }
        }
        assertThat(some).as("filters by header that want something").isGreaterThan(50);
    }

    private Filter anyFilter() {
        return new Filter(anyPatterns(), anyPatterns(), anyPatterns(), anyHeaders(2));
    }

    private List<String> anyPatterns() {
        return random.nextInt(3) > 0 ? List.of() : List.of(any(PATTERNS), any(PATTERNS));
    }

    /** Few values more often than not, so that filters meet events. */
    private Map<String, String> anyHeaders(int most) {
        Map<String, String> headers = new TreeMap<>();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            headers.put(any(NAMES), any(random.nextBoolean() ? VALUES.subList(0, 2) : VALUES));
        }
        return headers;
    }

    private String any(List<String> texts) {
        return texts.get(random.nextInt(texts.size()));
    }

    private static Map<String, @Nullable Object> values(Filter filter) {
        Map<String, @Nullable Object> values = new HashMap<>();
        filter.addValues(values);
        return values;
    }

    private static void store(Connection connection, Map<String, @Nullable Object> values) throws SQLException {
        try (PreparedStatement insert = Sql.of(SchemaName.DEFAULT, STORE).prepare(connection, values)) {
            insert.execute();
        }
    }

    private static List<UUID> ids(Connection connection, String sql, Map<String, @Nullable Object> values)
            throws SQLException {
        try (PreparedStatement query = Sql.of(SchemaName.DEFAULT, sql).prepare(connection, values);
                ResultSet rows = query.executeQuery()) {
            List<UUID> ids = new ArrayList<>();
            while (rows.next()) {
                ids.add(rows.getObject(1, UUID.class));
            }
            return ids;
        }
    }

    private static Event carrying(Map<String, String> headers) {
        return event("a.x", null, "test", headers);
    }

    private static Event event(
            String type, @Nullable String aggregateType, String source, Map<String, String> headers) {
        return Event.builder()
                .source(source)
                .type(type)
                .aggregateType(aggregateType)
                .headers(headers)
                .json("{}")
                .build();
    }

    private static void refused(ThrowingCallable filter, String message) {
        assertThatThrownBy(filter)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SETTING))
                .hasMessageContaining(message);
    }

    @Test
    void oneThatWantsNoneOfSomeTypesIsFoundOut() {
        Set<String> some = Set.of("order.placed", "order.paid");
        assertThat(Filter.ALL.typesAmong(some)).isEqualTo(some);
        assertThat(Filter.types("invoice", "order.paid").typesAmong(some)).containsExactly("order.paid");
        assertThat(Filter.types("*.paid").typesAmong(some)).containsExactly("order.paid");
        assertThat(Filter.types("order", "invoice.*").typesAmong(some)).isEmpty();
        assertThat(Filter.types("order.*").typesAmong(Set.of())).isEmpty();
    }
}
