package dev.posthorn.relay.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.embedded.postgres.Standby;
import dev.posthorn.event.Event;
import dev.posthorn.relay.fixture.Mortal;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A stand-by that lagged behind takes over: it gives out the ids of transactions that it never heard of. */
class FailoverTest {

    private final RecordingSink sink = RecordingSink.oneAtATime();

    @Test
    void aStandbyThatLaggedByTransactionsWithoutEventsLosesNone() throws Exception {
        try (EmbeddedPostgres primary = Mortal.server().start();
                Standby standby = Standby.of(primary, Mortal.server())) {
            Mortal mortal = new Mortal(TestDatabase.create(primary), sink);
            try (SteppedRelay relay = mortal.start(whicheverIsPrimary(mortal.database, primary, standby))) {
                standby.catchUp();
                standby.disconnect();
                mortal.commitNothing(200);
                mortal.poll(relay);
                long reached = mortal.nextTransaction();

                TestDatabase promoted = failOver(mortal.database, primary, standby);
                assertThat(new Mortal(promoted, sink).nextTransaction()).isLessThanOrEqualTo(reached - 200);
                List<UUID> after = record(promoted, "after", 50);
                comeBack(relay);

                assertThat(mortal.received("after")).containsExactlyInAnyOrderElementsOf(after);
                assertThat(mortal.wronglyDelivered(promoted)).isZero();
            }
        }
    }

    /** Events before the lag come again, since the settle is gone; those in it are gone themselves. */
    @Test
    void whatTheStandbyKnowsOfComesAlsoIfItNeverHeardOfItsSettle() throws Exception {
        try (EmbeddedPostgres primary = Mortal.server().start();
                Standby standby = Standby.of(primary, Mortal.server())) {
            Mortal mortal = new Mortal(TestDatabase.create(primary), sink);
            try (SteppedRelay relay = mortal.start(whicheverIsPrimary(mortal.database, primary, standby))) {
                List<UUID> known = record(mortal.database, "known", 10);
                standby.catchUp();
                standby.disconnect();
                List<UUID> lost = record(mortal.database, "lost", 10);
                relay.run(5);
                assertThat(mortal.received("known")).containsExactlyInAnyOrderElementsOf(known);
                assertThat(mortal.received("lost")).containsExactlyInAnyOrderElementsOf(lost);

                TestDatabase promoted = failOver(mortal.database, primary, standby);
                assertThat(promoted.number("SELECT count(*) FROM posthorn.event WHERE key LIKE 'lost%'"))
                        .isZero();
                List<UUID> after = record(promoted, "after", 50);
                comeBack(relay);

                assertThat(mortal.received("known")).containsAll(known);
                assertThat(mortal.received("after")).containsExactlyInAnyOrderElementsOf(after);
                assertThat(mortal.received("lost")).containsExactlyInAnyOrderElementsOf(lost);
                assertThat(mortal.wronglyDelivered(promoted)).isZero();
            }
        }
    }

    private static TestDatabase failOver(TestDatabase database, EmbeddedPostgres primary, Standby standby) {
        primary.kill();
        return database.on(standby.promote());
    }

    private static void comeBack(SteppedRelay relay) {
        for (int i = 0; i < 10; i++) {
            relay.run(5).pass();
        }
    }

    /** As an application would name both. */
    private static PGSimpleDataSource whicheverIsPrimary(
            TestDatabase database, EmbeddedPostgres primary, Standby standby) {
        PGSimpleDataSource either = primary.dataSource(database.name());
        either.setServerNames(new String[] {"127.0.0.1", "127.0.0.1"});
        either.setPortNumbers(new int[] {primary.port(), standby.server().port()});
        either.setTargetServerType("primary");
        either.setHostRecheckSeconds(0);
        return either;
    }

    private static List<UUID> record(TestDatabase database, String key, int count) {
        List<Event> events = Mortal.events(key, count);
        events.forEach(database::record);
        return events.stream().map(Event::id).toList();
    }
}
