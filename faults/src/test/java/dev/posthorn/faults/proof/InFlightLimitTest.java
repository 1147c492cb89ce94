package dev.posthorn.faults.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.Outbox;
import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Servers;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testing.SteppedRelay;
import java.sql.Connection;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The limit is the instance's, and so the bound on the duplicates of its crash, while its lanes come and go. */
class InFlightLimitTest {

    private static final int LIMIT = 60;

    private final RecordingSink slow = RecordingSink.pipelined();
    private final RecordingSink quick = RecordingSink.pipelined();
    private Database database;
    private SettableClock clock;

    @BeforeEach
    void backlog() throws Exception {
        database = Database.create(Servers.newest(), 1);
        clock = SettableClock.at(Instant.parse("2030-01-01T00:00:00Z"), database.dataSource(), SchemaName.DEFAULT);
        slow.hold();
        record();
    }

    @Test
    void aLaneThatIsBeingGivenUpStillCounts() {
        try (SteppedRelay one = relay("one", slow).pass().run(5);
                SteppedRelay other = relay("other", quick)) {
            assertThat(slow.waiting()).hasSize(LIMIT);
            other.pass();
            one.pass().run(5);
            assertThat(slow.waiting()).hasSize(LIMIT);
        }
    }

    @Test
    void aLaneThatWasJustTakenOverGetsOnlyWhatIsLeft() throws Exception {
        SteppedRelay other = relay("other", quick).pass();
        try (SteppedRelay one = relay("one", slow).pass()) {
            other.pass().run(20).pass();
            one.pass().run(5);
            assertThat(one.lanes()).hasSize(1);
            assertThat(slow.waiting()).hasSize(LIMIT);

            other.run(20).leave();
            record();
            one.pass().run(5);
            assertThat(one.lanes()).hasSize(2);
            assertThat(slow.waiting()).hasSize(LIMIT);

            slow.answerAll();
            one.run(40);
            assertThat(slow.received().size() + quick.received().size()).isEqualTo(800);
        }
    }

    private SteppedRelay relay(String instance, RecordingSink sink) {
        return SteppedRelay.of(
                Relay.builder(database.dataSource())
                        .instance(instance)
                        .subscribe(Subscription.to("limited", sink)
                                .lanes(2)
                                .inFlightLimit(LIMIT)
                                .fromBeginning()
                                .build()),
                clock);
    }

    private void record() throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < 400; i++) {
                Outbox.create().record(connection, Change.event(i, 1));
            }
            connection.commit();
        }
    }
}
