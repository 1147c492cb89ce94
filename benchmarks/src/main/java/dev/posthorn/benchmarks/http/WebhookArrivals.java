package dev.posthorn.benchmarks.http;

import dev.posthorn.benchmarks.testbed.SampleEvents;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Notes when each event came to a receiver, and lets one subscription's requests hang if told so. */
public final class WebhookArrivals implements WebhookReceiver.Handler {

    private static final long HANG_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int PATIENCE_SECONDS = 60;

    private final boolean hanging;
    private final String suspect;
    private final int backlog;
    private final long[] times;
    private final CountDownLatch backlogMissing;
    private final CountDownLatch liveMissing;

    /**
     * @param suspect the path of the subscription that hangs, or would
     * @param backlog how many events were there before the relay was started, and so have the first numbers
     * @param live how many come after that
     * @param awaited which are waited for
     */
    public WebhookArrivals(boolean hanging, String suspect, int backlog, int live, IntPredicate awaited) {
        this.hanging = hanging;
        this.suspect = suspect;
        this.backlog = backlog;
        this.times = new long[backlog + live];
        this.backlogMissing = new CountDownLatch(count(0, backlog, awaited));
        this.liveMissing = new CountDownLatch(count(backlog, backlog + live, awaited));
    }

    private static int count(int from, int to, IntPredicate awaited) {
        return (int) IntStream.range(from, to).filter(awaited).count();
    }

    @Override
    public long received(WebhookRequest request) {
        if (request.path().equals(suspect)) {
            return hanging ? HANG_NANOS : 0;
        }
        int event = SampleEvents.orderOf(request.body());
        if (times[event] == 0) {
            times[event] = System.nanoTime();
            (event < backlog ? backlogMissing : liveMissing).countDown();
        }
        return 0;
    }

    /** Gives how many there were. */
    public long awaitBacklog() throws InterruptedException {
        await(backlogMissing);
        return LongStream.of(times).limit(backlog).filter(time -> time != 0).count();
    }

    public void awaitLive() throws InterruptedException {
        await(liveMissing);
    }

    private static void await(CountDownLatch missing) throws InterruptedException {
        if (!missing.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    missing.getCount() + " events did not arrive within " + PATIENCE_SECONDS + " s");
        }
    }

    /** When a live event came. To be asked once all have come. */
    public long ofLive(int event) {
        return times[backlog + event];
    }
}
