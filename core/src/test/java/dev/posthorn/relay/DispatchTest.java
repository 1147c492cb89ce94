package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Guards;
import dev.posthorn.testing.RecordingSink;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The events in a lane's hands. */
class DispatchTest {

    private final List<Long> forgotten = new ArrayList<>();
    private final Subscription subscription =
            Subscription.to("test", RecordingSink.oneAtATime()).build();
    private final Dispatch dispatch = new Dispatch(
            subscription,
            Guards.ALL,
            new Tokens(new Allowance(Subscription.UNLIMITED, () -> 0), null),
            new InFlight(
                    "test/0",
                    subscription,
                    () -> 0,
                    new LastHeard(() -> 0),
                    new RetryPlaces(Integer.MAX_VALUE),
                    answered -> {}),
            new SentBefore(Guards.ALL),
            row -> forgotten.add(row.seq()),
            overtaken -> {});

    /** Found by the simulation: sent as a probe, the second held event of a key arrived before the first. */
    @Test
    void whatWasLoadedBehindAHeldEventDoesNotPassItWhenItHasToGoAgain() {
        Tracked first = held(6, "k1");
        Tracked second = held(7, "k1");
        Tracked other = held(8, "k2");
        dispatch.addRows(List.of(first, second, other));
        assertThat(dispatch.pollNext(item -> true)).isSameAs(first);
        dispatch.sendAlone(first, Purpose.PROBE);
        dispatch.again(first);
        assertThat(forgotten).containsExactly(6L, 7L);
        assertThat(dispatch.pollNext(item -> true)).isSameAs(other);
    }

    private static Tracked held(long seq, String key) {
        Event event = Event.builder()
                .source("test")
                .type("test.happened")
                .key(key)
                .json("{}")
                .build();
        return Tracked.of(new DeliveryRow(
                new RecordedEvent(seq, event, Instant.EPOCH), DeliveryState.HELD, 0, true, null, false, false));
    }
}
