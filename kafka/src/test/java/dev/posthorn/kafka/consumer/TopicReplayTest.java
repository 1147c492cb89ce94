package dev.posthorn.kafka.consumer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.inbox.RejectedEventException;
import dev.posthorn.kafka.TopicContent;
import dev.posthorn.kafka.consumer.TopicReplay.Account;
import dev.posthorn.kafka.consumer.TopicReplay.Preview;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Dead letters in a topic, and their way back. */
class TopicReplayTest {

    /** The texts of the events that the handler does not take at present. */
    private final Set<String> bad = ConcurrentHashMap.newKeySet();

    private Books books;

    @BeforeEach
    void open() throws Exception {
        books = new Books(1);
    }

    @AfterEach
    void close() {
        books.close();
    }

    private void handle(Connection connection, Event event) throws SQLException {
        if (bad.contains(Books.text(event))) {
            throw new RejectedEventException("no account " + Books.text(event));
        }
        Books.enter(connection, event);
    }

    private InboxConsumer.Builder consumer() {
        return books.consumer(this::handle).deadLetterTopic();
    }

    /** All of these are letters when it returns. */
    private InboxConsumer failing(String... texts) {
        bad.addAll(List.of(texts));
        InboxConsumer consumer = books.start(consumer());
        books.publish("a", texts);
        awaitLetters(texts.length);
        return consumer;
    }

    /** With patience: other tests use the same brokers, and every look is a consumer of its own. */
    private void awaitLetters(int count) {
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> letters().size() >= count);
    }

    private List<ConsumerRecord<byte[], byte[]>> letters() {
        return TopicContent.of(books.bootstrapServers(), books.topic() + ".DLT");
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(
                record.headers().lastHeader("posthorn-dead-letter-" + name).value(), UTF_8);
    }

    @Test
    void theExampleOfTheDocs() {
        InboxConsumer billing = failing("1", "2");
        bad.clear();

        TopicReplay replay = billing.replay()
                .errorMessage("no account")
                .from(Instant.now().minus(Duration.ofDays(1)))
                .limit(1_000)
                .build();
        Preview preview = replay.preview();
        Account account = replay.run(so -> System.out.println(so.pending() + " to go"));

        assertThat(preview).isEqualTo(new Preview(2, Map.of("no account #", 2L), false));
        assertThat(account).isEqualTo(new Account(2, 2, 0, 0));
    }

    @Test
    void eachHasItsEffectOnceHoweverOftenItIsReplayed() {
        InboxConsumer consumer = failing("a1", "a2", "a3");
        bad.clear();
        List<Account> progress = new ArrayList<>();

        assertThat(consumer.replay().build().run(progress::add)).isEqualTo(new Account(3, 3, 0, 0));
        assertThat(consumer.replay().build().run()).isEqualTo(new Account(0, 0, 0, 0));
        assertThat(consumer.replay().build().preview().letters()).isZero();

        assertThat(books.entries()).containsExactly("a1", "a2", "a3");
        assertThat(progress).extracting(Account::pending).containsExactly(2L, 1L, 0L);
        assertThat(progress).extracting(Account::delivered).containsExactly(1L, 2L, 3L);
        assertThat(letters()).as("nothing is added").hasSize(3);
    }

    /** Its entries are kept for thirty days, a topic may keep its records for longer. */
    @Test
    void theNextReplayBeginsBehindWhatWasReplayed() throws Exception {
        InboxConsumer consumer = failing("a1", "a2");
        bad.clear();
        consumer.replay().build().run();
        try (Connection connection = books.database().dataSource().getConnection();
                var statement = connection.createStatement()) {
            statement.execute("DELETE FROM posthorn.inbox_entry");
        }

        assertThat(consumer.replay().build().run()).isEqualTo(new Account(0, 0, 0, 0));
        assertThat(books.entries()).containsExactly("a1", "a2");
    }

    @Test
    void whatFailsAgainIsALetterAgainWithTheNewReason() {
        InboxConsumer consumer = failing("a1", "a2");
        bad.remove("a1");

        assertThat(consumer.replay().build().run()).isEqualTo(new Account(2, 1, 1, 0));

        assertThat(books.entries()).containsExactly("a1");
        ConsumerRecord<byte[], byte[]> again = letters().get(2);
        assertThat(again.value()).asString(UTF_8).isEqualTo("a2");
        assertThat(again.key()).asString(UTF_8).isEqualTo("a");
        assertThat(List.of(header(again, "attempts"), header(again, "error-message"), header(again, "offset")))
                .containsExactly("2", "no account a2", "1");
        assertThat(again.headers().headers("posthorn-dead-letter-attempts")).hasSize(1);

        bad.clear();
        assertThat(consumer.replay().build().run()).isEqualTo(new Account(1, 1, 0, 0));
        assertThat(books.entries()).containsExactly("a1", "a2");
    }

    @Test
    void whatTheFilterLeavesOutIsThereForTheNext() {
        InboxConsumer consumer = failing("a1", "b2", "a3");
        bad.clear();

        assertThat(consumer.replay().errorMessage("ACCOUNT b").build().run()).isEqualTo(new Account(1, 1, 0, 0));
        assertThat(books.entries()).containsExactly("b2");
        assertThat(consumer.replay().errorClass("timeout").build().preview().letters())
                .isZero();
        assertThat(consumer.replay().to(Instant.EPOCH).build().preview().letters())
                .isZero();
        assertThat(consumer.replay()
                        .from(Instant.EPOCH)
                        .errorClass("rejected")
                        .build()
                        .run())
                .isEqualTo(new Account(2, 2, 0, 0));
        assertThat(books.entries()).containsExactly("b2", "a1", "a3");
    }

    @Test
    void theLimitLeavesTheOthersForTheNext() {
        InboxConsumer consumer = failing("a1", "a2", "a3");
        bad.clear();
        TopicReplay two = consumer.replay().limit(2).build();

        assertThat(two.preview()).isEqualTo(new Preview(2, Map.of("no account a#", 2L), true));
        assertThat(two.run()).isEqualTo(new Account(2, 2, 0, 0));
        assertThat(two.run()).isEqualTo(new Account(1, 1, 0, 0));
        assertThat(books.entries()).containsExactly("a1", "a2", "a3");
    }

    @Test
    void lettersOfOthersInTheSameTopicAreLeftToThem() {
        failing("a1");
        books.start(consumer().name("shipping"));
        awaitLetters(2);
        books.send(new ProducerRecord<>(books.topic() + ".DLT", "of another program".getBytes(UTF_8)));
        bad.clear();

        InboxConsumer shipping = consumer().name("shipping").build();
        assertThat(shipping.replay().build().run()).isEqualTo(new Account(1, 1, 0, 0));
        assertThat(books.entries()).containsExactly("a1");
        assertThat(consumer().build().replay().build().preview().letters()).isOne();
    }

    /** An event that came by another way meanwhile. */
    @Test
    void anEventThatWasTakenSinceHasNoSecondEffect() {
        InboxConsumer consumer = failing("a1");
        bad.clear();
        ConsumerRecord<byte[], byte[]> letter = letters().get(0);
        books.send(new ProducerRecord<>(books.topic(), null, letter.key(), letter.value(), letter.headers()));
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofSeconds(1))
                .untilAsserted(() -> assertThat(books.entries()).containsExactly("a1"));

        assertThat(consumer.replay().build().run()).isEqualTo(new Account(1, 0, 0, 1));
        assertThat(books.entries()).containsExactly("a1");
    }

    @Test
    void twoReplaysAtOnceHaveOneEffectOfEach() throws Exception {
        String[] texts = new String[40];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = "t" + i;
        }
        failing(texts);
        bad.retainAll(Set.of("t1", "t2"));
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<Account>> runs = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                runs.add(
                        threads.submit(() -> consumer().build().replay().build().run()));
            }
            long delivered = 0;
            for (Future<Account> run : runs) {
                delivered += run.get().delivered();
            }
            assertThat(delivered).isEqualTo(38);
        } finally {
            threads.shutdownNow();
        }
        assertThat(books.entries()).hasSize(38).doesNotHaveDuplicates();
        assertThat(consumer().build().replay().build().preview().letters())
                .as("both that failed are letters, once each")
                .isEqualTo(2);
    }

    @Test
    void backInItsTopicALetterIsTheRecordThatItWas() {
        InboxConsumer consumer = failing("a1", "a2");
        bad.remove("a1");

        assertThat(consumer.replay().toTopic().build().run()).isEqualTo(new Account(2, 2, 0, 0));

        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofSeconds(1))
                .untilAsserted(() -> assertThat(books.entries()).containsExactly("a1"));
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofSeconds(1))
                .untilAsserted(
                        () -> assertThat(consumer.replay().build().preview().letters())
                                .as("the consumer has set it aside again")
                                .isOne());
        List<ConsumerRecord<byte[], byte[]>> records = TopicContent.of(books.bootstrapServers(), books.topic());
        assertThat(records).hasSize(4);
        assertThat(records.get(2).headers()).isEqualTo(records.get(0).headers());
        assertThat(records.get(2).key()).isEqualTo(records.get(0).key());
        assertThat(consumer.replay().toTopic().build().run()).isEqualTo(new Account(1, 1, 0, 0));
    }

    @Test
    void whatIsNoEventStaysALetterUntilSomebodyCanReadIt() {
        books.send(new ProducerRecord<>(books.topic(), "a".getBytes(UTF_8), "what?".getBytes(UTF_8)));
        books.start(consumer());
        awaitLetters(1);

        assertThat(consumer().build().replay().build().run()).isEqualTo(new Account(1, 0, 1, 0));
        InboxConsumer mended = consumer()
                .reader(record -> Event.builder()
                        .id(record.topic() + record.offset())
                        .source("elsewhere")
                        .type("t")
                        .payload(record.value())
                        .build())
                .build();
        assertThat(mended.replay().build().run()).isEqualTo(new Account(1, 1, 0, 0));
        assertThat(books.entries()).containsExactly("what?");
    }

    @Test
    void anOutageEndsItAndCountsForNoLetter() throws Exception {
        InboxConsumer consumer = failing("a1", "a2");
        bad.clear();
        consumer.close();
        books.database().readOnly(true);
        try {
            assertThatThrownBy(() -> consumer.replay().build().run())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("consumer " + books.name())
                    .hasMessageContaining("run it again");
        } finally {
            books.database().readOnly(false);
        }
        assertThat(letters()).hasSize(2);
        assertThat(consumer.replay().build().run()).isEqualTo(new Account(2, 2, 0, 0));
    }

    @Test
    void withoutAnInboxALetterIsReplayedOnceToo() {
        failing("a1");
        bad.clear();
        InboxConsumer consumer = consumer().withoutInbox().build();

        assertThat(consumer.replay().build().run()).isEqualTo(new Account(1, 1, 0, 0));
        assertThat(consumer.replay().build().run()).isEqualTo(new Account(0, 0, 0, 0));
        assertThat(books.entries()).containsExactly("a1");
    }

    @Test
    void aConsumerWithLettersInItsDatabaseIsToldWhereToLook() {
        assertThatThrownBy(() -> books.consumer(this::handle).build().replay())
                .hasMessageContaining("deadLetterTopic()")
                .hasMessageContaining("Replays");
        assertThatThrownBy(() -> consumer().build().replay().limit(0)).hasMessageContaining("limit is 0");
    }
}
