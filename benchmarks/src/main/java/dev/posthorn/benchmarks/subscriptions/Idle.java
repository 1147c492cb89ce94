package dev.posthorn.benchmarks.subscriptions;

import dev.posthorn.benchmarks.harness.Output;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.testkit.LinuxProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What subscriptions cost while nothing happens: CPU of the hub and its PostgreSQL together, and what the hub holds. */
final class Idle {

    private final CrowdedHub hub;
    private final int settlingSeconds;
    private final int seconds;

    Idle(CrowdedHub hub, Output output) {
        this.hub = hub;
        this.settlingSeconds = output.size(10, 1);
        this.seconds = output.size(20, 2);
    }

    Turn measure() throws IOException, InterruptedException {
        TimeUnit.SECONDS.sleep(settlingSeconds);
        LinuxProcess system = hub.system();
        long from = System.nanoTime();
        Duration before = system.cpuOfTree();
        TimeUnit.SECONDS.sleep(seconds);
        Duration used = system.cpuOfTree().minus(before);
        double share = (double) used.toNanos() / (System.nanoTime() - from);
        return Turn.of("idleCpuPercent", 100 * share)
                .and("threads", system.threads())
                .and("residentMiB", system.residentBytes() / 1024.0 / 1024);
    }
}
