package dev.posthorn.relay.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.Replayed;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a lane had sent on a connection that it lost. */
class SentBeforeTest {

    private final SentBefore sent = new SentBefore();
    private final RecordedEvent event = fourth();

    private static RecordedEvent fourth() {
        return new RecordedEvent(
                4,
                Event.builder().source("test").type("test.happened").json("{}").build(),
                Instant.EPOCH);
    }

    /** Seed 71,032,085: of two replays of one event only the last was known again, and the other's was sent twice. */
    @Test
    void anEventOfTwoReplaysIsKnownAgainByEach() {
        LaneEvent first = replayed(22);
        LaneEvent second = replayed(28);
        sent.keepRow(first);
        sent.keepRow(second);
        assertThat(sent.loaded(replayed(22))).isSameAs(first);
        assertThat(sent.loaded(replayed(28))).isSameAs(second);
        assertThat(sent.isEmpty()).isTrue();
    }

    /** A database that crashed gives numbers out again. */
    @Test
    void anotherEventThatWasGivenItsNumberIsNotTakenForIt() {
        LaneEvent waiting = LaneEvent.of(row(event, DeliveryState.WAITING, null));
        sent.keepRow(waiting);
        assertThat(sent.isOf(row(fourth(), DeliveryState.WAITING, null))).isFalse();
        assertThat(sent.isOf(row(event, DeliveryState.WAITING, null))).isTrue();
        assertThat(sent.read(fourth())).isNull();
        sent.keepRow(waiting);
        assertThat(sent.read(event)).isSameAs(waiting);
    }

    private LaneEvent replayed(long replay) {
        return LaneEvent.of(row(event, DeliveryState.REPLAYED, new Replayed(replay, null)));
    }

    private static DeliveryRow row(RecordedEvent event, DeliveryState state, @Nullable Replayed replay) {
        return new DeliveryRow(event, state, 0, true, replay, false, false);
    }
}
