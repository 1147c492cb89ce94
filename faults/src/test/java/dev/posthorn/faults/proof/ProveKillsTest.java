package dev.posthorn.faults.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Fleet;
import dev.posthorn.faults.harness.Patience;
import dev.posthorn.faults.harness.Servers;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.status.Gauges;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** SIGKILL at the two moments that an outbox is made for. */
class ProveKillsTest {

    private static final String TOPIC = "killed-before-the-settle";
    private static final int EVENTS = 10;

    /** Open, with something written: what a commit would have made lasting. */
    private static final String OPEN_TRANSACTIONS = """
            SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND state = 'idle in transaction' AND backend_xid IS NOT NULL""";

    private final Database database = Database.create(Servers.newest(), 1);
    private final Gauges gauges = new Gauges(database.dataSource(), SchemaName.DEFAULT);

    ProveKillsTest() throws Exception {}

    @Test
    void aProducerKilledBetweenSaveAndCommitLeavesNeitherRowNorEventAndOneKilledAfterItBoth() throws Exception {
        killProducer(HangingProducer.SAVED, 1, 1);
        assertThat(saved(1)).isZero();
        assertThat(events()).isEmpty();

        killProducer(HangingProducer.COMMITTED, 2, 0);
        assertThat(saved(2)).isOne();
        assertThat(events()).hasSize(1);

        assertThat(delivered()).containsExactly("aggregate-2");
    }

    private void killProducer(String after, int aggregate, int openTransactions) throws Exception {
        List<String> settings = List.of(after, Integer.toString(aggregate));
        try (Fleet producers = new Fleet(database, HangingProducer.class, "producer", settings)) {
            String producer = producers.start();
            Patience.until(
                    "the producer has " + after,
                    () -> producers.log(producer).lines().anyMatch(after::equals));
            assertThat(database.number(OPEN_TRANSACTIONS)).isEqualTo(openTransactions);
            producers.kill(producer);
        }
        Patience.until("PostgreSQL has noticed", () -> database.number(OPEN_TRANSACTIONS) == 0);
    }

    private long saved(int aggregate) throws Exception {
        return database.number("SELECT count(*) FROM aggregate WHERE id = " + aggregate);
    }

    private List<String> events() throws Exception {
        return database.column("SELECT id FROM posthorn.event");
    }

    /** Until nothing is left to deliver. There is one lane, so what comes first in the log has come too. */
    private List<String> delivered() throws Exception {
        RecordingSink sink = RecordingSink.oneAtATime();
        try (Relay relay = Relay.builder(database.dataSource())
                .subscribe(Subscription.to("all", sink).lanes(1).fromBeginning().build())
                .start()) {
            Patience.until("all is delivered by " + relay.instance(), () -> isAllSettled("all"));
        }
        return sink.received().stream()
                .map(each -> String.valueOf(each.event().key()))
                .toList();
    }

    @Test
    void whatARelayKilledAfterTheSendHadNotSettledIsSentAgainWithTheSameIdsAndNothingIsLost() throws Exception {
        List<UUID> recorded;
        try (Changes changes = new Changes(database)) {
            recorded = changes.of(Collections.nCopies(EVENTS, 0));
        }
        Servers.kafka().createTopic(TOPIC, 1);
        List<String> settings = List.of(Servers.kafka().bootstrapServers(), TOPIC);
        try (Fleet relays = new Fleet(database, HangingRelay.class, "relay", settings)) {
            String killed = relays.start();
            Patience.until(
                    "the relay is between send and settle",
                    () -> relays.log(killed).contains(HangingRelay.HANGS));
            List<UUID> before = inTopic();
            assertThat(before).isNotEmpty().doesNotHaveDuplicates();
            assertThat(isAllSettled(HangingRelay.SUBSCRIPTION)).isFalse();
            relays.kill(killed);
            database.endLeases(HangingRelay.SUBSCRIPTION);

            relays.start();
            Patience.until("all is settled", () -> isAllSettled(HangingRelay.SUBSCRIPTION));
            List<UUID> after = inTopic();
            assertThat(List.copyOf(new LinkedHashSet<>(after))).isEqualTo(recorded);
            assertThat(before).allMatch(id -> Collections.frequency(after, id) == 2);
            assertThat(recorded).allMatch(id -> Collections.frequency(after, id) <= 2);
            assertThat(relays.stop()).isTrue();
        }
    }

    private static List<UUID> inTopic() {
        return Topics.ids(Servers.kafka().bootstrapServers(), TOPIC);
    }

    private boolean isAllSettled(String subscription) {
        return gauges.of(subscription).oldestAge() == null;
    }
}
