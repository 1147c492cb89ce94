package dev.posthorn.http.client;

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

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(null, work, "posthorn-http-timer", 0, false);
        thread.setDaemon(true);
        return thread;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // Nobody takes back what was planned; it looks whether it is needed.
    public static void after(long nanos, Runnable work) {
        THREAD.schedule(work, Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }
}
