package dev.posthorn.faults.proof;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.posthorn.event.Event;
import dev.posthorn.faults.harness.ChildProgram;
import dev.posthorn.faults.harness.Crew;
import dev.posthorn.inbox.ConsumerListener;
import dev.posthorn.kafka.consumer.InboxConsumer;
import dev.posthorn.subscription.RetryPolicy;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * A member of a consumer group in a process of its own, so that it can be killed. Every second one takes events in batches.
 * Some of its calls fail. Leaves cleanly when its standard input ends.
 */
public final class Member {

    static final String CONSUMER = "storm";

    /** Said once it has some. */
    static final String HAS_PARTITIONS = "has partitions";

    /** Said at the end, before how many events it knew already. */
    static final String DUPLICATES = "duplicates ";

    private static final int THREADS = 3;
    private static final int ONE_FAILS_IN = 500;

    private final Effects effects;
    private final SplittableRandom random;
    private final AtomicLong duplicates = new AtomicLong();

    private Member(String instance, long seed) {
        this.effects = new Effects(CONSUMER, instance);
        this.random = new SplittableRandom(seed + instance.hashCode());
    }

    /** Arguments: JDBC URL, user, password, instance, bootstrap servers, topic, seed. */
    public static void main(String[] args) throws IOException {
        Member member = new Member(args[3], Long.parseLong(args[6]));
        InboxConsumer.Builder builder = InboxConsumer.builder(args[4], pool(args))
                .name(CONSUMER)
                .topics(args[5])
                .threads(THREADS)
                .retry(RetryPolicy.of(RetryPolicy.UNLIMITED, Duration.ofMillis(50)))
                .ownRelay(false)
                .setting("session.timeout.ms", "3000")
                .setting("heartbeat.interval.ms", "500")
                .listener(member.listener());
        InboxConsumer consumer = member.handlers(builder, isEven(args[3])).build();
        consumer.start();
        new Crew().start("partitions", () -> tellOfPartitions(consumer));
        ChildProgram.untilToldToEnd();
        consumer.close();
        System.out.println(DUPLICATES + member.duplicates);
        System.exit(0);
    }

    private static void tellOfPartitions(InboxConsumer consumer) throws InterruptedException {
        while (consumer.lag().isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        System.out.println(HAS_PARTITIONS);
    }

    private static boolean isEven(String instance) {
        return Integer.parseInt(instance.substring(instance.indexOf('-') + 1)) % 2 == 0;
    }

    private static DataSource pool(String[] args) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(ChildProgram.dataSource(args));
        config.setMaximumPoolSize(THREADS + 2);
        return new HikariDataSource(config);
    }

    private InboxConsumer.Builder handlers(InboxConsumer.Builder builder, boolean batches) {
        return batches
                ? builder.batchHandler(this::handle)
                : builder.handler((connection, event) -> handle(connection, List.of(event)));
    }

    private void handle(Connection connection, List<Event> events) throws SQLException {
        effects.ofEach(connection, events);
        failNowAndThen();
    }

    private synchronized void failNowAndThen() {
        if (random.nextInt(ONE_FAILS_IN) == 0) {
            throw new IllegalStateException("this call was to fail");
        }
    }

    private ConsumerListener listener() {
        return new ConsumerListener() {
            @Override
            public void duplicates(String consumer, int events) {
                duplicates.addAndGet(events);
            }
        };
    }
}
