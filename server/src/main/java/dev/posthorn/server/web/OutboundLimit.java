package dev.posthorn.server.web;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.settings.HubSettings;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Bounds how many requests wait for systems outside at a time. Each has a place among {@code
 * posthorn.limits.concurrent-requests} meanwhile, so one system that hangs could take them all: it gets a quarter, and
 * all such systems together get half.
 */
@Component
public class OutboundLimit {

    private final int perSystem;
    private final int inAll;
    private final Map<String, Integer> waiting = new HashMap<>();
    private int all;

    OutboundLimit(HubSettings settings) {
        int places = settings.limits().concurrentRequests();
        this.perSystem = Math.max(1, places / 4);
        this.inAll = Math.max(1, places / 2);
    }

    /** Makes the call that waits for this system, or throws the problem that too many wait already. */
    public <T> T on(String system, Supplier<T> call) {
        enter(system);
        try {
            return call.get();
        } finally {
            leave(system);
        }
    }

    private synchronized void enter(String system) {
        int others = waiting.getOrDefault(system, 0);
        if (others >= perSystem || all >= inAll) {
            throw Problem.unavailable(
                            (others >= perSystem
                                            ? others
                                                    + " requests, a quarter of posthorn.limits.concurrent-requests, wait for "
                                                    + system + " already"
                                            : all + " requests, half of posthorn.limits.concurrent-requests, wait for"
                                                    + " systems outside already")
                                    + "; it has not acted on this one: try again later",
                            Retry.SOON)
                    .asException();
        }
        waiting.put(system, others + 1);
        all++;
    }

    private synchronized void leave(String system) {
        waiting.computeIfPresent(system, (name, count) -> count == 1 ? null : count - 1);
        all--;
    }
}
