package dev.posthorn.http.client;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Does small things later, on one thread that all sinks share. */
public final class Timer {

    private static final ScheduledThreadPoolExecutor THREAD = new ScheduledThreadPoolExecutor(1, Timer::thread);

    static {
        THREAD.setKeepAliveTime(10, TimeUnit.SECONDS);
        THREAD.allowCoreThreadTimeOut(true);
        THREAD.setRemoveOnCancelPolicy(true);
    }

    private Timer() {}

    /** Something that is to be done. */
    public record Task(Future<?> planned) {

        /** Not any more; it is forgotten at once, and all that it knows. */
        public void cancel() {
            planned.cancel(false);
        }
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(null, work, "posthorn-http-timer", 0, false);
        thread.setDaemon(true);
        return thread;
    }

    public static Task after(long nanos, Runnable work) {
        return new Task(THREAD.schedule(work, Math.max(0, nanos), TimeUnit.NANOSECONDS));
    }
}
