package dev.posthorn.faults.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Crew;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Patience;
import dev.posthorn.faults.harness.Servers;
import dev.posthorn.inbox.Inbox;
import dev.posthorn.inbox.Once;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One event that comes ten times, to ten threads at once. */
class ProveOnceTest {

    private static final int TIMES = 10;
    private static final String CONSUMER = "billing";

    private static final String WAITING = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'""";

    private final Database database = Database.create(Servers.newest(), 1);
    private final Event event = Change.event(0, 1);
    private final Inbox inbox = Inbox.create();
    private final Effects effects = new Effects(CONSUMER, "thread");
    private final Crew crew = new Crew();
    private final List<Once<Boolean>> outcomes = new CopyOnWriteArrayList<>();

    ProveOnceTest() throws SQLException {}

    /** What somebody does about the event when it comes. */
    private interface Delivery {
        Once<Boolean> take() throws Exception;
    }

    @BeforeEach
    void createTable() throws SQLException {
        Effects.createTable(database);
    }

    @Test
    void oneEventThatComesTenTimesHasOneEntryAndOneEffectAndIsADuplicateNineTimes() throws Exception {
        comesAtOnce(TIMES, this::takeInItsOwnTransaction);
        crew.join();
        assertOneEffectAnd(TIMES - 1);
    }

    @Test
    void alsoInTheCallersOwnTransaction() throws Exception {
        comesAtOnce(TIMES, this::takeInCallersTransaction);
        crew.join();
        assertOneEffectAnd(TIMES - 1);
    }

    @Test
    void ifTheFirstOneFailsAnotherOneHasTheEffectAndTheRestAreDuplicates() throws Exception {
        CountDownLatch holds = new CountDownLatch(1);
        CountDownLatch fails = new CountDownLatch(1);
        crew.start("first", () -> takeAndFail(holds, fails));
        holds.await();
        comesAtOnce(TIMES - 1, this::takeInItsOwnTransaction);
        Patience.until("all others wait for the first", () -> database.number(WAITING) == TIMES - 1);
        assertThat(outcomes).isEmpty();
        fails.countDown();
        crew.join();
        assertOneEffectAnd(TIMES - 2);
    }

    private void comesAtOnce(int times, Delivery delivery) {
        CyclicBarrier together = new CyclicBarrier(times);
        for (int i = 1; i <= times; i++) {
            crew.start("delivery-" + i, () -> {
                together.await();
                outcomes.add(delivery.take());
            });
        }
    }

    private Once<Boolean> takeInItsOwnTransaction() throws SQLException {
        return inbox.once(database.dataSource(), CONSUMER, event.id(), this::haveEffect);
    }

    private Once<Boolean> takeInCallersTransaction() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            Once<Boolean> outcome = inbox.once(connection, CONSUMER, event.id(), this::haveEffect);
            connection.commit();
            return outcome;
        }
    }

    private boolean haveEffect(Connection connection) throws SQLException {
        effects.of(connection, event);
        return true;
    }

    private void takeAndFail(CountDownLatch holds, CountDownLatch fails) throws Exception {
        try {
            inbox.once(database.dataSource(), CONSUMER, event.id(), connection -> {
                haveEffect(connection);
                holds.countDown();
                fails.await();
                throw new PlannedFailure();
            });
        } catch (PlannedFailure asPlanned) {
            // the entry and the effect are gone
        }
    }

    private void assertOneEffectAnd(int duplicates) throws SQLException {
        assertThat(outcomes).filteredOn(Once::isDuplicate).hasSize(duplicates);
        assertThat(outcomes).filteredOn(each -> !each.isDuplicate()).hasSize(1);
        assertThat(database.number("SELECT count(*) FROM posthorn.inbox_entry")).isOne();
        assertThat(database.number("SELECT count(*) FROM effect")).isOne();
    }

    private static final class PlannedFailure extends Exception {
        private static final long serialVersionUID = 1;
    }
}
