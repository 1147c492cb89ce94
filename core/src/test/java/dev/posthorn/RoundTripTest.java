package dev.posthorn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.EventReader;
import dev.posthorn.log.SchemaName;
import dev.posthorn.testing.RecordedEvents;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is recorded comes back as it was, from both forms of recording, on the newest and the oldest PostgreSQL. */
class RoundTripTest {

    /** What is special to SQL, to PostgreSQL's arrays or to JSON, and what is not ASCII. */
    private static final List<String> AWKWARD = List.of(
            "plain",
            "NULL",
            "null",
            "say \"hello\"",
            "it's",
            "back\\slash \\\\ \\u0041 \\n \\x41",
            "{a,b}",
            "{\"json\": [1, 2]}",
            "$$ ? :name %s %",
            " spaces ",
            "Größe 日本語 Ω\u0301",
            "\ud83d\ude00\ud83d\udc69\u200d\ud83d\udcbb",
            "line\u2028separator",
            "\ufeff\ufffd\uffff");

    @Test
    void eventsComeBackAsTheyWereRecordedOneByOne() throws SQLException {
        comeBackOneByOne(TestDatabase.create());
    }

    @Test
    void aBatchOfMoreThanAThousandComesBackAsItWasRecorded() throws SQLException {
        comeBackFromABatch(TestDatabase.create());
    }

    @Test
    void eventsComeBackFromTheOldestPostgresqlToo() throws SQLException {
        comeBackOneByOne(TestDatabase.createOnOldest());
        comeBackFromABatch(TestDatabase.createOnOldest());
    }

    @Test
    void withoutATimeOfItsOwnAnEventOccurredWhenItWasRecordedByTheDatabasesClock() throws SQLException {
        TestDatabase database = TestDatabase.create();
        Event timeless = Event.builder().source("s").type("t").json("{}").build();
        try (Connection connection = database.transaction()) {
            Outbox.create().record(connection, timeless);
            Outbox.create().record(connection, List.of(timeless));
            connection.commit();
            List<RecordedEvent> read = new EventReader(SchemaName.DEFAULT).after(connection, 0, 10);
            assertThat(read)
                    .hasSize(2)
                    .allSatisfy(recorded -> assertThat(
                                    Duration.between(recorded.event().occurredAt(), recorded.createdAt()))
                            .isBetween(Duration.ZERO, Duration.ofMinutes(1)));
        }
    }

    private static void comeBackOneByOne(TestDatabase database) throws SQLException {
        List<Event> events = events(60);
        try (Connection connection = database.transaction()) {
            events.forEach(event -> Outbox.create().record(connection, event));
            assertSame(RecordedEvents.in(connection).events(), events);
        }
    }

    private static void comeBackFromABatch(TestDatabase database) throws SQLException {
        List<Event> events = events(1_200);
        try (Connection connection = database.transaction()) {
            Outbox.create().record(connection, events);
            assertSame(RecordedEvents.in(connection).events(), events);
        }
    }

    private static void assertSame(List<Event> read, List<Event> recorded) {
        // One by one: of a thousand at once the comparison remembers every pair, and takes twenty seconds.
        assertThat(read)
                .zipSatisfy(
                        recorded,
                        (one, other) ->
                                assertThat(one).usingRecursiveComparison().isEqualTo(other));
    }

    private static List<Event> events(int count) {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(event(i));
        }
        return events;
    }

    /** Every field is there or not, in all combinations. */
    private static Event event(int i) {
        String awkward = AWKWARD.get(i % AWKWARD.size());
        // With nanoseconds, of which the database keeps none.
        Instant time = Instant.parse("2026-03-29T00:59:59.999999789Z").plus(i * 123_457L, ChronoUnit.MICROS);
        Event.Builder event = Event.builder()
                .source("shop'" + i % 3)
                .type("order.\"{\\}" + i % 5)
                .version(1 + i)
                .payload(payload(i))
                .occurredAt(i % 4 == 0 ? Instant.parse("0001-01-01T00:00:00Z").plusSeconds(i) : time);
        if ((i & 1) != 0) {
            event.key(awkward);
        }
        if ((i & 2) != 0) {
            event.header("awkward", awkward)
                    .header("i", "" + i)
                    .header("empty", "")
                    .traceparent("00-" + i + "-01");
        }
        if ((i & 4) != 0) {
            event.aggregateType("Order\\\"'");
        }
        if ((i & 8) != 0) {
            event.id(awkward + i);
        }
        if ((i & 16) != 0) {
            event.deliverAt(Instant.parse("9999-12-31T23:59:59.999999Z"));
        }
        if ((i & 32) != 0) {
            event.contentType("text/plain; charset=\"utf-8\"");
        }
        return event.build();
    }

    private static byte[] payload(int i) {
        if (i % 3 == 0) {
            return AWKWARD.get(i % AWKWARD.size()).getBytes(UTF_8);
        }
        byte[] all = new byte[i % 5 == 0 ? 0 : 256 + i % 7];
        for (int at = 0; at < all.length; at++) {
            all[at] = (byte) (at + i);
        }
        return all;
    }
}
