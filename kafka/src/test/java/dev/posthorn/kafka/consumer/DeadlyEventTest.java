package dev.posthorn.kafka.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.inbox.Consumption;
import dev.posthorn.inbox.Transactions;
import dev.posthorn.kafka.TopicContent;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An event that ends the process of its consumer was given to one after the other, for ever. */
@Tag("slow")
class DeadlyEventTest {

    private static final int INNOCENT = 60;
    private static final int MOST_ATTEMPTS = Books.QUICKLY.maxAttempts();

    /** The first time nobody knows that there is something to count. */
    private static final int MOST_DEATHS = MOST_ATTEMPTS + 1;

    private Books books;
    private Process member;

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(4));
    }

    @BeforeEach
    void open() throws Exception {
        books = new Books(2);
        books.database().execute("CREATE TABLE call (text text)");
        Consumption consumption = new Consumption(
                books.name(),
                SchemaName.DEFAULT,
                Transactions.over(books.database().dataSource()),
                (connection, events) -> {},
                events -> () -> {},
                true);
        new Subscriptions(books.database().dataSource(), SchemaName.DEFAULT).register(consumption.subscription());
    }

    @AfterEach
    void close() {
        if (member != null) {
            member.destroyForcibly();
        }
        books.close();
    }

    private void start(boolean batches, boolean deadLetterTopic) throws IOException {
        member = ChildJvm.of(
                        DeadlyMember.class,
                        ChildJvm.small(128),
                        List.of(
                                books.database().jdbcUrl(),
                                books.database().user(),
                                books.database().password(),
                                books.bootstrapServers(),
                                books.topic(),
                                books.name(),
                                Boolean.toString(batches),
                                Boolean.toString(deadLetterTopic)))
                .redirectErrorStream(true)
                .redirectOutput(Path.of("target", "deadly-member.log").toFile())
                .start();
    }

    /** Starts one after the other, until it is done; how many died over it. */
    private int deathsUntil(BooleanSupplier done, boolean batches, boolean deadLetterTopic) throws Exception {
        int deaths = 0;
        while (!done.getAsBoolean() && deaths <= MOST_DEATHS) {
            start(batches, deadLetterTopic);
            await().until(() -> done.getAsBoolean() || !member.isAlive());
            deaths += member.isAlive() ? 0 : 1;
        }
        return deaths;
    }

    private void stopInOrder() throws Exception {
        member.getOutputStream().close();
        assertThat(member.waitFor(4, TimeUnit.MINUTES)).isTrue();
    }

    private List<String> publishInnocent(String prefix) {
        List<String> texts =
                IntStream.range(0, INNOCENT).mapToObj(i -> prefix + i).toList();
        texts.forEach(text -> books.publish("key of " + text, text));
        return texts;
    }

    private long calls(String text) {
        return books.database().number("SELECT count(*) FROM call WHERE text = '" + text + "'");
    }

    private List<String> letters() {
        return books.database()
                .column("SELECT convert_from(payload, 'UTF8') || ' after ' || attempts FROM posthorn.dead_letter");
    }

    private long count(String table) {
        return books.database().number("SELECT count(*) FROM posthorn." + table);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itIsADeadLetterInTheEndAndNobodyElseIs(boolean batches) throws Exception {
        List<String> innocent = publishInnocent("a");
        books.publish("the key", "deadly", "behind it");
        List<String> later = publishInnocent("b");

        int deaths = deathsUntil(() -> !letters().isEmpty(), batches, false);

        assertThat(letters()).as("after " + deaths + " deaths").containsExactly("deadly after " + MOST_ATTEMPTS);
        await().untilAsserted(() -> assertThat(books.entries()).hasSize(2 * INNOCENT + 1));
        assertThat(books.entries()).containsAll(innocent).containsAll(later).contains("behind it");
        assertThat(letters()).hasSize(1);
        assertThat(deaths).isEqualTo(MOST_DEATHS);
        assertThat(calls("deadly")).isEqualTo(MOST_DEATHS);
        stopInOrder();
        assertThat(count("consumer_attempt")).isZero();
    }

    @Test
    void itGoesToTheDeadLetterTopicToo() throws Exception {
        books.publish("the key", "deadly", "behind it");

        deathsUntil(() -> books.entries().contains("behind it"), false, true);

        assertThat(TopicContent.of(books.bootstrapServers(), books.topic() + ".DLT"))
                .hasSize(1);
        stopInOrder();
        assertThat(count("consumer_attempt")).isZero();
    }

    @Test
    void aMemberThatIsKilledTakesNoAttemptOfAFailingEventAlong() throws Exception {
        books.publish("the key", "failing", "behind it");
        for (int i = 1; i < MOST_ATTEMPTS; i++) {
            int before = i;
            start(false, false);
            await().until(() -> calls("failing") > before);
            member.destroyForcibly().waitFor();
        }
        start(false, false);

        await().until(() -> books.entries().contains("behind it"));
        assertThat(letters()).hasSize(1);
        assertThat(calls("failing"))
                .as("at most one more for each that was killed in the middle of it")
                .isLessThanOrEqualTo(2L * MOST_ATTEMPTS - 1);
    }

    @Test
    void eventsThatNeverFailAreNotCountedIfPartitionsAreGivenUpInOrder() {
        books.database().execute("ALTER TABLE posthorn.consumer_attempt ADD CONSTRAINT never CHECK (false)");
        List<String> texts = new ArrayList<>(publishInnocent("a"));
        InboxConsumer first = books.start(books.consumer(Books::enter));
        await().untilAsserted(() -> assertThat(books.entries()).containsExactlyInAnyOrderElementsOf(texts));
        assertThat(count("consumer_partition")).isEqualTo(2);
        first.close();
        assertThat(count("consumer_partition")).isZero();
        texts.addAll(publishInnocent("b"));

        books.start(books.consumer(Books::enter));

        await().untilAsserted(() -> assertThat(books.entries()).containsExactlyInAnyOrderElementsOf(texts));
    }
}
