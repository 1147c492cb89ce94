package dev.posthorn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.store.RowChange;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PostgresLaneStoreContractTest extends LaneStoreContract {

    @Override
    StoreFixture open() {
        return new PostgresFixture();
    }

    /** In nanoseconds it was in the past, and the lane looked for it without a pause. The model has no such times. */
    @Test
    void aRowThatIsDueInCenturiesIsNotDueNow() {
        record("a");
        Owned owned = own("i1", subscription(s -> s));
        RecordedEvent event = owned.read().get(0);
        owned.settle(changes -> changes.put(RowChange.deferred(event, 0, Instant.parse("2330-01-01T00:00:00Z"))));
        assertThat(owned.lane.agenda().nextDue()).isGreaterThan(Duration.ofDays(300));
    }
}
