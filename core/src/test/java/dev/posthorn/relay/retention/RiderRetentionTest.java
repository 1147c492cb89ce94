package dev.posthorn.relay.retention;

import static dev.posthorn.relay.fixture.RetentionDatabase.WEEK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TroubleRows;
import dev.posthorn.relay.fixture.RetentionDatabase;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Lanes that ride hold what their front has not settled, and nothing by where they got on. */
class RiderRetentionTest {

    private static final String EVERYTHING = "a = pg_current_snapshot(), b = pg_current_snapshot()";

    private final RetentionDatabase log = new RetentionDatabase();
    private final TroubleRows rows = new TroubleRows(log.database);

    private UUID frontAtTheBeginning(long... lanes) {
        UUID front = rows.front(TroubleRows.NOTHING, rows.snapshot(), 0);
        for (long lane : lanes) {
            log.move(lane, "front = '" + front + "'");
        }
        return front;
    }

    private int dropped() {
        return log.keeper().pass().dropped().size();
    }

    @Test
    void aPartitionIsDroppedOnlyWhenTheFrontHasPassedIt() {
        UUID front = frontAtTheBeginning(log.lane("one"), log.lane("two"));
        log.record("1");
        log.fillTheFirst();
        log.clock.advance(WEEK);
        assertThat(dropped()).isZero();
        assertThat(log.keeper().pass().holds())
                .extracting(RetentionKeeper.Hold::subscription)
                .contains("one", "two");
        log.awaitThatAllHaveEnded();
        rows.front(front, EVERYTHING);
        assertThat(dropped()).isOne();
    }

    @Test
    void aLaneThatStandsByItselfHoldsItBesideAFrontThatHasPassed() {
        long alone = log.lane("alone");
        UUID front = frontAtTheBeginning(log.lane("rider"));
        log.fillTheFirst();
        log.clock.advance(WEEK);
        log.awaitThatAllHaveEnded();
        rows.front(front, EVERYTHING);
        assertThat(dropped()).isZero();
        log.settle(alone);
        assertThat(dropped()).isOne();
    }

    @Test
    void aFrontThatNoLaneRefersToHoldsNothing() {
        long lane = log.lane("alone");
        frontAtTheBeginning();
        log.fillTheFirst();
        log.clock.advance(WEEK);
        log.settle(lane);
        assertThat(dropped()).isOne();
    }

    @Test
    void strayEventsWaitForTheFrontToo() {
        UUID front = frontAtTheBeginning(log.lane("rider"));
        log.sequenceAt(100_000);
        log.record("stray");
        log.clock.advance(WEEK.plusDays(1));
        log.keeper().pass();
        assertThat(log.count("event_default")).isOne();
        rows.front(front, EVERYTHING);
        log.keeper().pass();
        assertThat(log.count("event_default")).isZero();
    }

    @Test
    void aFrontIsForgottenADayAfterItHasEndedIfNoLaneRefersToIt() {
        long lane = log.lane("rider");
        UUID ended = frontAtTheBeginning(lane);
        rows.front(ended, "ended = true");
        UUID ofASession = frontAtTheBeginning();
        log.database.execute("INSERT INTO posthorn.session (id, instance, link, ttl, expires_at, obeys)"
                + " SELECT session_id, 'i', id, interval '1 y', posthorn.clock() + interval '1 y', a FROM posthorn.front"
                + " WHERE id = '" + ofASession + "'");
        log.clock.advance(Duration.ofDays(2));
        log.keeper().pass();
        assertThat(log.count("front")).isEqualTo(2);
        log.move(lane, "front = NULL");
        log.keeper().pass();
        assertThat(log.database.value("SELECT id FROM posthorn.front")).isEqualTo(ofASession.toString());
        rows.front(ofASession, "ended = true");
        log.keeper().pass();
        assertThat(log.count("front")).isZero();
    }

    @Test
    void receiptsOfFrontsGoADayAfterTheLogButNotThoseThatTellOfADeletedSubscription() {
        long one = log.database.number("SELECT subscription_id FROM posthorn.lane WHERE id = " + log.lane("one"));
        long two = log.database.number("SELECT subscription_id FROM posthorn.lane WHERE id = " + log.lane("two"));
        for (String age : new String[] {"0 s", "7 d", "9 d"}) {
            rows.frontReceipt("5:5:", "5:5:", 0, 1, "posthorn.clock() - interval '" + age + "'", one);
            rows.frontReceipt("5:5:", "5:5:", 0, 1, "posthorn.clock() - interval '" + age + "'", one, two);
        }
        log.record("1");
        log.database.execute("INSERT INTO posthorn.deleted_subscription (id, name, generation, last_seq) VALUES (" + two
                + ", 'two', 1, 1)");
        log.keeper().pass();
        assertThat(log.count("front_receipt")).isEqualTo(5);
        log.database.execute("DELETE FROM posthorn.deleted_subscription");
        log.keeper().pass();
        assertThat(log.count("front_receipt")).isEqualTo(4);
    }
}
