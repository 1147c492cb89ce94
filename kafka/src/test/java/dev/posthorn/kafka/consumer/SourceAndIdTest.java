package dev.posthorn.kafka.consumer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.event.EventIds;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.inbox.RejectedEventException;
import dev.posthorn.kafka.KafkaSink;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An event comes out of Kafka with the source and the id that its publisher gave it, and is known by both. */
class SourceAndIdTest {

    private final List<Event> handled = new CopyOnWriteArrayList<>();
    private Books books;

    @BeforeEach
    void open() throws Exception {
        books = new Books(1);
    }

    @AfterEach
    void close() {
        books.close();
    }

    @Test
    void anEventKeepsThemAndIsKnownWhenItComesAgain() throws Exception {
        Event event = event("/real/clients", "b-1", "first");
        deliver(event, event, event("/real/clients", "b-2", "last"));

        books.start(books.consumer((connection, each) -> handled.add(each)));

        awaitTexts("first", "last");
        Event arrived = handled.get(0);
        assertThat(arrived.givenId()).isEqualTo("b-1");
        assertThat(arrived.source()).isEqualTo("/real/clients");
        assertThat(arrived.id()).isEqualTo(event.id());
        assertThat(arrived.headers()).isEmpty();
    }

    /** Others say nothing of ours. */
    @Test
    void anEventOfAForeignProducerIsKnownByThemToo() {
        foreign("https://partner.example.com/a", "evt_1", "first");
        foreign("https://partner.example.com/a", "evt_1", "again");
        foreign("https://partner.example.com/b", "evt_1", "other");

        books.start(books.consumer((connection, each) -> handled.add(each)));

        awaitTexts("first", "other");
        assertThat(handled).extracting(Event::givenId).containsOnly("evt_1");
        assertThat(handled.get(0).id()).isEqualTo(EventIds.named("https://partner.example.com/a", "evt_1"));
    }

    /** The second one was taken for a repetition of the first and had no effect. */
    @Test
    void twoSourcesWithOneUuidAreTwoEvents() throws Exception {
        String id = EventIds.next().toString();
        deliver(
                event("shop", id, "s"),
                event("warehouse", id, "w"),
                event("shop", id, "s"),
                event("warehouse", id, "w"),
                event("shop", "last", "last"));

        books.start(books.consumer((connection, each) -> handled.add(each)));
        awaitTexts("s", "w", "last");
        assertThat(handled).extracting(Event::givenId).containsExactly(id, id, "last");
    }

    @Test
    void theyAreTwoInABatch() throws Exception {
        String id = EventIds.next().toString();
        deliver(event("shop", id, "s"), event("warehouse", id, "w"), event("shop", id, "s"), event("shop", "1", "l"));

        books.start(books.consumer((connection, each) -> {})
                .batchHandler((connection, events) -> handled.addAll(events))
                .threads(1));

        awaitTexts("s", "w", "l");
    }

    @Test
    void noSourceCanUseUpAnIdOfAnother() throws Exception {
        Event victim = event("warehouse", "b-1", "victim");
        deliver(event("shop", victim.id().toString(), "claiming"), victim);

        books.start(books.consumer((connection, each) -> handled.add(each)));

        awaitTexts("claiming", "victim");
    }

    /** Both dead letters are there: the second one was left out, as if the first had been it. */
    @Test
    void twoSourcesWithOneUuidHaveTwoDeadLetters() throws Exception {
        String id = EventIds.next().toString();
        deliver(event("shop", id, "s"), event("warehouse", id, "w"), event("shop", "last", "last"));

        books.start(books.consumer((connection, each) -> {
                    if (each.givenId().equals(id)) {
                        throw new RejectedEventException("no such account");
                    }
                    handled.add(each);
                })
                .ownRelay(true));

        awaitTexts("last");
        assertThat(books.database()
                        .query("SELECT source FROM posthorn.dead_letter ORDER BY id", row -> row.getString(1)))
                .containsExactly("shop", "warehouse");
    }

    private void awaitTexts(String... texts) {
        await().atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertThat(handled).extracting(Books::text).containsExactly(texts));
    }

    private static Event event(String source, String id, String text) {
        return Event.builder()
                .id(id)
                .source(source)
                .type("order.placed")
                .key("one")
                .payload(text.getBytes(UTF_8))
                .build();
    }

    private void foreign(String source, String id, String text) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(books.topic(), "one".getBytes(UTF_8), text.getBytes(UTF_8));
        record.headers()
                .add("ce_specversion", "1.0".getBytes(UTF_8))
                .add("ce_id", id.getBytes(UTF_8))
                .add("ce_source", source.getBytes(UTF_8))
                .add("ce_type", "com.example.event".getBytes(UTF_8));
        books.send(record);
    }

    /** By our sink, in order. */
    private void deliver(Event... events) throws Exception {
        KafkaSink sink =
                KafkaSink.builder(books.bootstrapServers()).topic(books.topic()).build();
        try (Channel channel = sink.open("test/0", Duration.ofSeconds(60))) {
            for (Event event : events) {
                CompletableFuture<Outcome> outcome = new CompletableFuture<>();
                channel.send(new RecordedEvent(1, event, Instant.EPOCH), 1, outcome::complete);
                channel.flush();
                assertThat(outcome.get(2, TimeUnit.MINUTES)).isEqualTo(Outcome.DELIVERED);
            }
        }
    }
}
