package dev.posthorn.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.Outbox;
import dev.posthorn.deadletter.DeadLetter;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.deadletter.DeadLetters;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.event.Event;
import dev.posthorn.http.TestReceiver.Got;
import dev.posthorn.http.TestReceiver.Says;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Attempt;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.RetryPolicy;
import dev.posthorn.relay.Subscription;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.sink.Reply;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** From the commit to a receiver, over real HTTP. */
@Tag("slow")
class HttpDeliveryTest {

    private static final AtomicInteger DATABASES = new AtomicInteger();
    private static final String SUBSCRIPTION = "hook";

    /** Started on first use, stopped with the JVM. */
    private static final class Server {
        static final EmbeddedPostgres SHARED = EmbeddedPostgres.builder().start();
    }

    private final TestReceiver receiver = TestReceiver.start();
    private DataSource dataSource;
    private Relay relay;

    @BeforeEach
    void start() throws SQLException {
        String name = "http_" + DATABASES.incrementAndGet();
        try (Connection connection = Server.SHARED.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        }
        dataSource = Server.SHARED.dataSource(name);
        new Schema(SchemaName.DEFAULT).install(dataSource);
        relay = serve(s -> s.timeout(Duration.ofMillis(500)).retry(RetryPolicy.of(3, Duration.ofMillis(50))));
    }

    private Relay serve(UnaryOperator<Subscription.Builder> settings) {
        Subscription.Builder subscription = Subscription.to(
                        SUBSCRIPTION, Sends.sink(receiver.url()).build())
                .fromBeginning();
        return Relay.builder(dataSource)
                .subscribe(settings.apply(subscription).build())
                .start();
    }

    @AfterEach
    void stop() {
        relay.close();
        receiver.close();
    }

    private void record(List<Event> events) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Outbox.create().record(connection, events);
            connection.commit();
        }
    }

    private static Event numbered(int number, String key) {
        return Sends.event().key(key).json(Integer.toString(number)).build();
    }

    @Test
    void eventsOfAKeyArriveInOrderThoughManyFailAndKeysGoSideBySide() throws SQLException {
        Map<String, Integer> tries = new ConcurrentHashMap<>();
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Got> taken = new CopyOnWriteArrayList<>();
        receiver.answering(got -> {
            most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
            boolean fails = Integer.parseInt(got.text()) % 7 == 0
                    && tries.merge(got.header("webhook-id"), 1, Integer::sum) == 1;
            if (!fails) {
                taken.add(got);
            }
            underWay.decrementAndGet();
            return fails ? new Says(503, Map.of("Retry-After", "0"), "not now") : Says.status(204);
        });
        record(IntStream.range(0, 600).mapToObj(i -> numbered(i, "k" + i % 20)).toList());
        await().atMost(Duration.ofSeconds(60)).until(() -> taken.size() >= 600);
        Map<String, List<Integer>> byKey = taken.stream()
                .collect(Collectors.groupingBy(
                        got -> got.header("ce-subject"),
                        Collectors.mapping(got -> Integer.parseInt(got.text()), Collectors.toList())));
        assertThat(byKey)
                .hasSize(20)
                .allSatisfy((key, numbers) -> assertThat(numbers).hasSize(30).isSorted());
        assertThat(most.get()).as("under way at once").isGreaterThan(1);
        assertThat(tries.values()).as("failed once").isNotEmpty();
    }

    @Test
    void whatTheReceiverSaidIsFoundInTheDeadLetter() throws SQLException {
        receiver.answering(got -> new Says(422, Map.of(), "no such order 17"));
        record(List.of(numbered(17, "k")));
        DeadLetters letters = new DeadLetters(dataSource, SchemaName.DEFAULT);
        DeadLetterQuery all = DeadLetterQuery.builder().build();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> !letters.find(all).letters().isEmpty());
        DeadLetter letter = letters.find(all).letters().get(0);
        assertThat(letter.errorClass()).isEqualTo("invalid");
        assertThat(letter.errorMessage()).isEqualTo("HTTP 422 Unprocessable Content: no such order 17");
        assertThat(letters.get(letter.id()).attempts())
                .extracting(Attempt::reply)
                .containsExactly(new Reply(422, "no such order 17"));
    }

    @Test
    void aReceiverThatIsGonePausesTheSubscriptionUntilItIsResumed() throws SQLException {
        receiver.answering(got -> new Says(410, Map.of(), "moved away"));
        record(List.of(numbered(1, "k"), numbered(2, "k")));
        Subscriptions subscriptions = new Subscriptions(dataSource, SchemaName.DEFAULT);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> subscriptions.list().get(0).paused());
        assertThat(subscriptions.list().get(0).pauseReason()).isEqualTo("HTTP 410 Gone: moved away");

        receiver.answering(got -> Says.status(204));
        int before = receiver.got().size();
        subscriptions.resume(SUBSCRIPTION);
        await().atMost(Duration.ofSeconds(20)).until(() -> receiver.got().size() >= before + 2);
        assertThat(receiver.got().subList(before, before + 2))
                .extracting(got -> got.text() + " " + got.header("posthorn-attempt"))
                .containsExactly("1 1", "2 1");
    }

    /** With the settings that everybody has who sets none. */
    @Test
    void keysThatFailInFrontDelayNoOthers() throws Exception {
        relay.close();
        relay = serve(s -> s);
        Map<String, Long> arrivals = new ConcurrentHashMap<>();
        receiver.answering(got -> answer(got, arrivals, Says.status(500)));
        record(IntStream.range(0, 200).mapToObj(i -> numbered(i, "bad" + i)).toList());
        await().atMost(Duration.ofSeconds(20)).until(() -> receiver.got().size() >= 200);
        awaitHealthy(arrivals, 20);
    }

    @Test
    void keysThatHangDelayNoOthers() throws Exception {
        relay.close();
        relay = serve(s -> s.timeout(Duration.ofSeconds(2)).retry(RetryPolicy.of(50, Duration.ofMillis(500))));
        CountDownLatch over = new CountDownLatch(1);
        Map<String, Long> arrivals = new ConcurrentHashMap<>();
        receiver.answering(got -> {
            if (isBad(got)) {
                awaitQuietly(over);
            }
            return answer(got, arrivals, Says.status(500));
        });
        record(List.of(numbered(0, "good")));
        record(IntStream.range(0, 20).mapToObj(i -> numbered(i, "bad" + i)).toList());
        try {
            awaitHealthy(arrivals, 20);
        } finally {
            over.countDown();
        }
    }

    @Test
    void aReceiverThatRefusesEverythingForAWhileGetsItAllAfterwards() throws Exception {
        relay.close();
        relay = serve(s -> s.retry(RetryPolicy.of(5, Duration.ofMillis(500))));
        receiver.answering(got -> Says.status(503));
        for (int i = 0; i < 100; i++) {
            int tenth = i;
            record(IntStream.range(0, 10)
                    .mapToObj(n -> numbered(10 * tenth + n, "k" + (10 * tenth + n) % 300))
                    .toList());
            TimeUnit.MILLISECONDS.sleep(100);
        }
        DeadLetters letters = new DeadLetters(dataSource, SchemaName.DEFAULT);
        DeadLetterQuery all = DeadLetterQuery.builder().build();
        int given = letters.find(all).letters().size();
        assertThat(given).isLessThanOrEqualTo(5);

        List<Got> taken = new CopyOnWriteArrayList<>();
        receiver.answering(got -> {
            taken.add(got);
            return Says.status(204);
        });
        await().atMost(Duration.ofSeconds(5)).until(() -> !taken.isEmpty());
        await().atMost(Duration.ofSeconds(60)).until(() -> taken.size() >= 1000 - given);
        assertThat(taken.stream()
                        .collect(Collectors.groupingBy(
                                got -> got.header("ce-subject"),
                                Collectors.mapping(got -> Integer.parseInt(got.text()), Collectors.toList()))))
                .allSatisfy((key, numbers) -> assertThat(numbers).isSorted().doesNotHaveDuplicates());
        assertThat(letters.find(all).letters()).hasSize(given);
    }

    private static boolean isBad(Got got) {
        return got.header("ce-subject").startsWith("bad");
    }

    private static Says answer(Got got, Map<String, Long> arrivals, Says ifBad) {
        if (isBad(got)) {
            return ifBad;
        }
        arrivals.putIfAbsent(got.header("ce-subject"), System.nanoTime());
        return Says.status(204);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Records so many healthy events, two a second; all but one in a hundred have to arrive within two seconds. */
    private void awaitHealthy(Map<String, Long> arrivals, int count) throws SQLException, InterruptedException {
        Map<String, Long> recorded = new ConcurrentHashMap<>();
        for (int i = 0; i < count; i++) {
            String key = "good" + i;
            recorded.put(key, System.nanoTime());
            record(List.of(numbered(i, key)));
            TimeUnit.MILLISECONDS.sleep(500);
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> arrivals.keySet().containsAll(recorded.keySet()));
        List<Long> delays = recorded.keySet().stream()
                .map(key -> arrivals.get(key) - recorded.get(key))
                .sorted()
                .toList();
        assertThat(Duration.ofNanos(delays.get(count * 99 / 100))).isLessThanOrEqualTo(Duration.ofSeconds(2));
    }
}
