package dev.posthorn.kafka.consumer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.kafka.RecordDecoder;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever is in a topic, the offset goes on. A record with a long key kept it where it was for ever. */
@Tag("slow")
class ForeignRecordTest {

    private Books books;

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(2));
    }

    @BeforeEach
    void open() throws Exception {
        books = new Books(1);
    }

    @AfterEach
    void close() {
        books.close();
    }

    @Test
    void aLongKeyOfAnotherIsCutInItsDeadLetterAndTheOffsetGoesOn() {
        byte[] one = incompressible(1, 30_000).getBytes(UTF_8);
        byte[] other = incompressible(1, 30_001).getBytes(UTF_8);
        books.send(new ProducerRecord<>(books.topic(), one, "1".getBytes(UTF_8)));
        books.send(new ProducerRecord<>(books.topic(), other, "2".getBytes(UTF_8)));
        books.send(new ProducerRecord<>(books.topic(), one, "3".getBytes(UTF_8)));
        books.publish("a", "a1");

        books.start(books.consumer(Books::enter).ownRelay(true));

        awaitOffset(4);
        assertThat(books.entries()).containsExactly("a1");
        List<String> keys = books.database()
                .query("SELECT key FROM posthorn.dead_letter ORDER BY source_id", row -> row.getString(1));
        assertThat(keys).hasSize(3).allMatch(key -> key.length() < 600);
        assertThat(keys.get(0)).isEqualTo(keys.get(2)).isNotEqualTo(keys.get(1));
    }

    @Test
    void oddBytesGoOnToo() {
        byte[] odd = new byte[5_000];
        new Random(3).nextBytes(odd);
        books.send(new ProducerRecord<>(books.topic(), odd, odd));
        books.send(new ProducerRecord<>(books.topic(), new byte[] {0, -1, 0}, null));
        ProducerRecord<byte[], byte[]> headers = new ProducerRecord<>(books.topic(), null, odd);
        headers.headers()
                .add("ce_id", odd)
                .add("ce_source", odd)
                .add("ce_type", null)
                .add("", odd);
        books.send(headers);
        books.publish("a", "a1");

        books.start(books.consumer(Books::enter).ownRelay(true));

        awaitOffset(4);
        assertThat(books.entries()).containsExactly("a1");
        assertThat(books.database().query("SELECT 1 FROM posthorn.dead_letter", row -> 1))
                .hasSize(3);
    }

    @Test
    void aLongKeyGoesToTheDeadLetterTopicAsItCame() {
        books.send(new ProducerRecord<>(books.topic(), incompressible(1, 30_000).getBytes(UTF_8), new byte[0]));

        books.start(books.consumer(Books::enter).deadLetterTopic());

        awaitOffset(1);
    }

    /** A reader of the application's own may make whatever it likes of a record. */
    @Test
    void aValueThatNoRowTakesIsLeftOutOfTheDeadLetterInsteadOfStoppingTheOffset() {
        books.publish("a", "zero", "endless", "nothing", "deep", "a5");

        books.start(books.consumer((connection, event) -> {
                    if (!Books.text(event).equals("a5")) {
                        throw new IllegalStateException("no such account");
                    }
                    Books.enter(connection, event);
                })
                .reader(ForeignRecordTest::careless)
                .ownRelay(true));

        awaitOffset(5);
        assertThat(books.entries()).containsExactly("a5");
        assertThat(books.database()
                        .query(
                                "SELECT headers->>'posthorn-origin' FROM posthorn.dead_letter ORDER BY 1",
                                row -> row.getString(1)))
                .containsExactly(origin(0), origin(1), origin(2), origin(3));
    }

    private String origin(int offset) {
        return books.topic() + "-0@" + offset;
    }

    private static Event careless(ConsumerRecord<byte[], byte[]> record) {
        Event event = RecordDecoder.decode(record);
        return switch (Books.text(event)) {
            case "zero" -> with(event, "a\0b", "text/plain");
            case "endless" -> with(event, incompressible(2, 5_000), "text/plain");
            case "nothing" -> nothing();
            case "deep" -> deep(record);
            default -> event;
        };
    }

    @SuppressWarnings("NullAway") // What a reader in a language without nullness would do.
    private static Event nothing() {
        return null;
    }

    @SuppressWarnings("InfiniteRecursion")
    private static Event deep(ConsumerRecord<byte[], byte[]> record) {
        Function<ConsumerRecord<byte[], byte[]>, Event> deeper = ForeignRecordTest::deep;
        return deeper.apply(record);
    }

    private static Event with(Event event, String key, String contentType) {
        return new Event(
                event.id(),
                null,
                event.source(),
                event.type(),
                1,
                null,
                key,
                contentType,
                event.payload(),
                event.headers(),
                null,
                null);
    }

    /** Of characters of three bytes that no compression makes shorter. */
    private static String incompressible(int seed, int characters) {
        return new Random(seed)
                .ints(characters, 0x4E00, 0x9FA5)
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
    }

    private void awaitOffset(long offset) {
        await().untilAsserted(() -> assertThat(books.committed()).isEqualTo(offset));
    }
}
