package dev.posthorn.faults.proof;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.posthorn.event.Event;
import dev.posthorn.faults.harness.Crew;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Ledger;
import dev.posthorn.faults.harness.Patience;
import dev.posthorn.faults.harness.Servers;
import dev.posthorn.inbox.Handler;
import dev.posthorn.kafka.consumer.InboxConsumer;
import dev.posthorn.relay.Relay;
import dev.posthorn.subscription.Subscription;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A thousand events of one aggregate, among as many of others, from the outbox over Kafka to handlers on many threads. */
class ProveOrderTest {

    private static final String TOPIC = "a-thousand-of-one";
    private static final String CONSUMER = "order";
    private static final int ONE = 0;
    private static final String KEY_OF_ONE = "aggregate-" + ONE;
    private static final int OTHERS = 20;
    private static final int LOTS = 200;
    private static final int OF_EACH_IN_A_LOT = 5;

    /** The handler of this one, the very first, waits until one of another key has come to its end. */
    private static final String WAITS = KEY_OF_ONE + " 1";

    private final Database database = Database.create(Servers.newest(), 1 + OTHERS);
    private final HikariDataSource pool = pool();
    private final Crew crew = new Crew();
    private final AtomicInteger ofOne = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private final AtomicInteger twoOfAKey = new AtomicInteger();
    private final Set<String> keysAtOnce = ConcurrentHashMap.newKeySet();
    private volatile boolean waitedInVain;
    private final CountDownLatch oneWaits = new CountDownLatch(1);
    private final CountDownLatch anotherEnded = new CountDownLatch(1);
    private final CountDownLatch joined = new CountDownLatch(1);
    private final CountDownLatch left = new CountDownLatch(1);

    ProveOrderTest() throws SQLException {}

    @Test
    void aThousandEventsOfOneAggregateHaveTheirEffectsInOrderWhileOtherKeysGoOnAndMembersJoinAndLeave()
            throws Exception {
        Effects.createTable(database);
        Servers.kafka().createTopic(TOPIC, 4);
        Map<String, InboxConsumer> members = Map.of("first", member("first"), "second", member("second"));
        try (Relay relay = relay()) {
            members.get("first").start();
            crew.start("application", this::record);
            Patience.until("some have come by " + relay.instance(), () -> ofOne.get() >= 300);
            members.get("second").start();
            Patience.until(
                    "the second has partitions",
                    () -> !members.get("second").lag().isEmpty());
            joined.countDown();
            Patience.until("more have come", () -> ofOne.get() >= 600);
            members.get(lastOfOne()).close();
            left.countDown();
            crew.join();
            Patience.untilAllHaveCome(() -> Effects.events(database), 2 * LOTS * OF_EACH_IN_A_LOT);
        } finally {
            members.values().forEach(InboxConsumer::close);
            pool.close();
        }
        Ledger.Verdict verdict = Effects.verdict(database, CONSUMER, database.committed());
        assertThat(verdict.isClean()).as(verdict.toString()).isTrue();
        assertThat(ofOne).hasValue(LOTS * OF_EACH_IN_A_LOT);
        assertThat(twoOfAKey).hasValue(0);
        assertThat(waitedInVain)
                .as("an event of one key kept all others waiting")
                .isFalse();
        assertThat(mostAtOnce).hasValueGreaterThan(1);
        assertThat(othersBetween()).isGreaterThan(10);
        assertThat(database.column("SELECT DISTINCT member FROM effect WHERE key = '" + KEY_OF_ONE + "'"))
                .as("the aggregate has moved")
                .hasSize(2);
    }

    /** Holds on half-way until the second member has joined, and later until one has left. */
    private void record() throws SQLException, InterruptedException {
        SplittableRandom random = new SplittableRandom(1);
        try (Changes changes = new Changes(database)) {
            for (int lot = 0; lot < LOTS; lot++) {
                List<Integer> aggregates = new ArrayList<>();
                for (int i = 0; i < OF_EACH_IN_A_LOT; i++) {
                    aggregates.add(ONE);
                    aggregates.add(1 + random.nextInt(OTHERS));
                }
                changes.of(aggregates);
                TimeUnit.MILLISECONDS.sleep(5);
                awaitAt(lot, LOTS / 2, joined);
                awaitAt(lot, LOTS * 3 / 4, left);
            }
        }
    }

    private static void awaitAt(int lot, int which, CountDownLatch latch) throws InterruptedException {
        if (lot == which) {
            latch.await();
        }
    }

    private InboxConsumer member(String name) {
        return InboxConsumer.builder(Servers.kafka().bootstrapServers(), pool)
                .name(CONSUMER)
                .topics(TOPIC)
                .threads(4)
                .ownRelay(false)
                .handler(watched(new Effects(CONSUMER, name)::of))
                .build();
    }

    private Handler watched(Handler handler) {
        return (connection, event) -> {
            String key = String.valueOf(event.key());
            if (!keysAtOnce.add(key)) {
                twoOfAKey.incrementAndGet();
            }
            mostAtOnce.accumulateAndGet(keysAtOnce.size(), Math::max);
            try {
                handle(handler, connection, event);
            } finally {
                keysAtOnce.remove(key);
            }
        };
    }

    private void handle(Handler handler, Connection connection, Event event) throws Exception {
        boolean isOfOne = KEY_OF_ONE.equals(event.key());
        if (isOfOne && WAITS.equals(new String(event.payload(), UTF_8))) {
            oneWaits.countDown();
            waitedInVain = !anotherEnded.await(120, TimeUnit.SECONDS);
        }
        handler.handle(connection, event);
        if (isOfOne) {
            ofOne.incrementAndGet();
        } else if (oneWaits.getCount() == 0) {
            anotherEnded.countDown();
        }
    }

    private Relay relay() {
        return Relay.builder(database.dataSource())
                .subscribe(Subscription.to(TOPIC, Topics.sink(Servers.kafka().bootstrapServers(), TOPIC))
                        .lanes(2)
                        .fromBeginning()
                        .build())
                .start();
    }

    private HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        return new HikariDataSource(config);
    }

    /** Who has it now. */
    private String lastOfOne() throws SQLException {
        return database.column("SELECT member FROM effect WHERE key = '" + KEY_OF_ONE + "' ORDER BY n DESC LIMIT 1")
                .get(0);
    }

    /** How often effects of other keys lie between two of the one. */
    private long othersBetween() throws SQLException {
        return database.number("""
                SELECT count(*) FROM (SELECT key, lag(key) OVER (ORDER BY n) AS before FROM effect) AS e
                 WHERE key = '%s' AND before <> '%s'""".formatted(KEY_OF_ONE, KEY_OF_ONE));
    }
}
