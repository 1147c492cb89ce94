package dev.posthorn.testing;

import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Steps;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.List;

/** A relay that does nothing by itself: a test steps it, with a clock that the test moves. */
public final class SteppedRelay implements AutoCloseable {

    /** Longer than any poll interval or settle interval of a default subscription. */
    private static final Duration TICK = Duration.ofMillis(100);

    /** A lease keeper hears of what was asked of its lanes within so long. */
    private static final long SECOND = 1_000_000_000;

    private final Steps steps;
    private final SettableClock clock;
    private long told;

    private SteppedRelay(Steps steps, SettableClock clock) {
        this.steps = steps;
        this.clock = clock;
        this.told = clock.nanos();
    }

    public static SteppedRelay of(Relay.Builder relay, SettableClock clock) {
        return new SteppedRelay(relay.stepped(clock), clock);
    }

    /** One pass of the lease keeper. */
    public SteppedRelay pass() {
        steps.pass();
        return this;
    }

    /** Serves these subscriptions from the next pass on, and no others. */
    public SteppedRelay serve(Subscription... subscriptions) {
        steps.serve(List.of(subscriptions));
        return this;
    }

    /** One step of every lane that has something to do, and of the front that lanes ride on. */
    public SteppedRelay step() {
        steps.step();
        return this;
    }

    /**
     * That many steps, with time for the next poll and settle before each. Once a second its lanes are told to look for
     * commands and replays, as a pass would tell them.
     */
    public SteppedRelay run(int times) {
        for (int i = 0; i < times; i++) {
            clock.advance(TICK);
            if (clock.nanos() - told > SECOND) {
                told = clock.nanos();
                lanes().forEach(Lane::tend);
            }
            steps.step();
        }
        return this;
    }

    public List<Lane> lanes() {
        return steps.lanes();
    }

    /** Ends cleanly. */
    public void leave() {
        steps.leave();
        steps.close();
    }

    /** Ends like a crash. */
    @Override
    public void close() {
        steps.close();
    }
}
