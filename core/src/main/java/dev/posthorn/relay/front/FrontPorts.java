package dev.posthorn.relay.front;

import dev.posthorn.log.EventLog;
import dev.posthorn.log.LaneScope;
import dev.posthorn.relay.store.FrontStore;
import dev.posthorn.relay.store.Ticker;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * All that a front sees of the world.
 *
 * @param logs the log as that scope sees it, on the same connection as the store
 */
public record FrontPorts(
        FrontStore store,
        Function<LaneScope, EventLog> logs,
        Ticker ticker,
        RandomGenerator random,
        Portions portions) {

    public FrontPorts(FrontStore store, Function<LaneScope, EventLog> logs, Ticker ticker, RandomGenerator random) {
        this(store, logs, ticker, random, Portions.USUAL);
    }

    /**
     * How much is done at a time.
     *
     * @param events so many are read by one statement, of so many bytes
     * @param lanes so many are put off, and so many taken on, by one statement
     * @param inHand of so many deliveries at a time nothing more is handed out
     * @param offered so many deliveries wait to be handed out before nothing more is read
     */
    public record Portions(int events, long bytes, int lanes, int inHand, int offered) {

        /** What a lane costs that is awake, and the event in its hands, many times over. */
        private static final long BYTES_EACH = 128 << 10;

        /** What waits is no more than a place in a list. */
        private static final int OFFERED_FOR_EACH = 32;

        private static final int LEAST_IN_HAND = 1000;
        private static final int MOST_IN_HAND = 1_000_000;

        static final Portions USUAL = new Portions(1000, 16 << 20, 2000, inHandOfThisProcess());

        private Portions(int events, long bytes, int lanes, int inHand) {
            this(events, bytes, lanes, inHand, OFFERED_FOR_EACH * inHand);
        }

        private static int inHandOfThisProcess() {
            long room = Runtime.getRuntime().maxMemory() / BYTES_EACH;
            return (int) Math.max(LEAST_IN_HAND, Math.min(MOST_IN_HAND, room));
        }
    }
}
