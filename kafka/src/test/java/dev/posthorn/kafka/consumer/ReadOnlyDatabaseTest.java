package dev.posthorn.kafka.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.inbox.Effect;
import dev.posthorn.inbox.Transactions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A database that fails over is read-only for a while. That condemned every event that came meanwhile. */
@Tag("slow")
class ReadOnlyDatabaseTest {

    private static final int EVENTS = 200;

    private final AtomicInteger transactions = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private Books books;

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(3));
    }

    @BeforeEach
    void open() throws Exception {
        books = new Books(1);
    }

    @AfterEach
    void close() throws SQLException {
        books.database().readOnly(false);
        books.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noHandlerIsCalledAndNothingIsCondemnedUntilItIsWritableAgain(boolean batches) throws Exception {
        List<String> texts = IntStream.range(0, EVENTS).mapToObj(i -> "e" + i).toList();
        InboxConsumer.Builder builder = books.consumer((connection, event) -> {
            calls.incrementAndGet();
            Books.enter(connection, event);
        });
        if (batches) {
            builder.batchHandler((connection, events) -> {
                calls.incrementAndGet();
                for (var event : events) {
                    Books.enter(connection, event);
                }
            });
        }
        books.start(
                builder.transactions(counting(Transactions.over(books.database().dataSource()))));
        books.publish("first", "it works");
        await().untilAsserted(() -> assertThat(books.entries()).containsExactly("it works"));
        books.database().readOnly(true);
        texts.forEach(text -> books.publish(text, text));
        transactions.set(0);
        int several = batches ? 12 : 3 * EVENTS;
        await().until(() -> transactions.get() >= several);
        assertThat(calls).as("only for the first one").hasValue(1);
        books.database().readOnly(false);

        await().untilAsserted(
                        () -> assertThat(books.entries()).hasSize(1 + EVENTS).containsAll(texts));
        assertThat(books.database().deadLetters()).isEmpty();
    }

    private Transactions counting(Transactions counted) {
        return new Transactions() {
            @Override
            public <T extends @Nullable Object, E extends Exception> T run(Effect<T, E> work) throws E {
                transactions.incrementAndGet();
                return counted.run(work);
            }
        };
    }

    @Test
    void whatTheHandlerIsToBlameForStillCounts() {
        books.publish("a", "7 and no number", "8");

        books.start(books.consumer((connection, event) -> {
                    calls.incrementAndGet();
                    try (var insert = connection.prepareStatement("INSERT INTO entry (place) VALUES (?::bigint)")) {
                        insert.setString(1, Books.text(event));
                        insert.executeUpdate();
                    }
                })
                .ownRelay(true));

        await().untilAsserted(() -> assertThat(books.database().deadLetters()).hasSize(1));
        await().untilAsserted(() -> assertThat(books.entries()).hasSize(1));
        assertThat(calls).hasValue(4);
    }
}
