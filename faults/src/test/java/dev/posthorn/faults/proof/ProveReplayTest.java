package dev.posthorn.faults.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.audit.Actor;
import dev.posthorn.event.Event;
import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Patience;
import dev.posthorn.faults.harness.Servers;
import dev.posthorn.inbox.ConsumerListener;
import dev.posthorn.kafka.consumer.InboxConsumer;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.replay.Replay;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.replay.ReplayState;
import dev.posthorn.replay.Replays;
import dev.posthorn.subscription.Subscription;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A window of history that comes again, on the topic on which it came before. */
class ProveReplayTest {

    private static final String TOPIC = "replayed";
    private static final String OLD = "old";
    private static final String FRESH = "fresh";
    private static final int AGGREGATES = 20;
    private static final int PART = 150;

    /** What a consumer makes of events: of each aggregate, how often it changed and where it stands. */
    private static final String STATE = """
            CREATE TABLE state (
                consumer  text   NOT NULL,
                aggregate text   NOT NULL,
                changes   bigint NOT NULL,
                counter   bigint NOT NULL,
                PRIMARY KEY (consumer, aggregate))""";

    private static final String APPLY = """
            INSERT INTO state AS s VALUES (?, ?, 1, ?)
            ON CONFLICT (consumer, aggregate) DO UPDATE SET changes = s.changes + 1, counter = EXCLUDED.counter""";

    private static final String STATE_OF = """
            SELECT aggregate || ' ' || changes || ' ' || counter FROM state WHERE consumer = '%s' ORDER BY aggregate""";

    /** The same, from the log. */
    private static final String STATE_BY_LOG = """
            SELECT key || ' ' || count(*) || ' ' || max(split_part(convert_from(payload, 'UTF8'), ' ', 2)::bigint)
              FROM posthorn.event WHERE created_at >= '%s' AND created_at < '%s' GROUP BY key ORDER BY key""";

    private final String kafka = Servers.kafka().bootstrapServers();
    private final Database database = Database.create(Servers.newest(), AGGREGATES);
    private final Replays replays = new Replays(database.dataSource(), SchemaName.DEFAULT);
    private final SplittableRandom random = new SplittableRandom(1);
    private final AtomicInteger processed = new AtomicInteger();
    private final AtomicInteger duplicates = new AtomicInteger();

    ProveReplayTest() throws SQLException {}

    @Test
    void aPastWindowReplayedIntoAFreshConsumerGivesItsStateThereAndNothingElsewhere() throws Exception {
        database.execute(STATE);
        Servers.kafka().createTopic(TOPIC, 4);
        try (Relay relay = relay();
                InboxConsumer old = consumer(OLD);
                InboxConsumer fresh = consumer(FRESH)) {
            record();
            Instant from = now();
            record();
            Instant to = now();
            record();
            old.start();
            Patience.until("all have come by " + relay.instance(), () -> processed.get() == 3 * PART);
            List<String> stateBefore = stateOf(OLD);
            assertThat(stateBefore).isEqualTo(stateByLog(Instant.EPOCH, now()));

            Topics.beginAtTheEnd(kafka, TOPIC, FRESH);
            fresh.start();
            replay(from, to);
            Patience.until("both have seen the window", () -> processed.get() + duplicates.get() == 5 * PART);
            assertThat(stateOf(FRESH)).isEqualTo(stateByLog(from, to)).isNotEmpty();
            assertThat(stateOf(OLD)).isEqualTo(stateBefore);
            assertThat(duplicates).hasValue(PART);
        }
    }

    private void replay(Instant from, Instant to) throws Exception {
        ReplayRequest window = ReplayRequest.ofHistory(TOPIC, from, to, List.of(), null, null)
                .reason("there is a fresh consumer")
                .build();
        long id = replays.start(window, Actor.named("prove")).id();
        Patience.until("the replay has ended", () -> replays.get(id).state() == ReplayState.FINISHED);
        Replay replay = replays.get(id);
        assertThat(replay.requested()).isEqualTo(PART);
        assertThat(replay.delivered()).isEqualTo(PART);
    }

    private void record() throws SQLException {
        try (Changes changes = new Changes(database)) {
            changes.of(random.ints(PART, 0, AGGREGATES).boxed().toList());
        }
    }

    private Relay relay() {
        return Relay.builder(database.dataSource())
                .subscribe(Subscription.to(TOPIC, Topics.sink(kafka, TOPIC))
                        .lanes(2)
                        .fromBeginning()
                        .build())
                .start();
    }

    private InboxConsumer consumer(String name) {
        return InboxConsumer.builder(kafka, database.dataSource())
                .name(name)
                .topics(TOPIC)
                .ownRelay(false)
                .batchHandler((connection, events) -> apply(connection, name, events))
                .listener(new ConsumerListener() {
                    @Override
                    public void processed(String consumer, int events) {
                        processed.addAndGet(events);
                    }

                    @Override
                    public void duplicates(String consumer, int events) {
                        duplicates.addAndGet(events);
                    }
                })
                .build();
    }

    private static void apply(Connection connection, String consumer, List<Event> events) throws SQLException {
        try (PreparedStatement apply = connection.prepareStatement(APPLY)) {
            for (Event event : events) {
                Change change = Change.of(event.id(), event.payload());
                apply.setString(1, consumer);
                apply.setString(2, change.aggregate());
                apply.setLong(3, change.counter());
                apply.addBatch();
            }
            apply.executeBatch();
        }
    }

    private Instant now() throws SQLException {
        return OffsetDateTime.parse(database.column("SELECT to_json(clock_timestamp()) #>> '{}'")
                        .get(0))
                .toInstant();
    }

    private List<String> stateOf(String consumer) throws SQLException {
        return database.column(STATE_OF.formatted(consumer));
    }

    private List<String> stateByLog(Instant from, Instant to) throws SQLException {
        return database.column(STATE_BY_LOG.formatted(from, to));
    }
}
