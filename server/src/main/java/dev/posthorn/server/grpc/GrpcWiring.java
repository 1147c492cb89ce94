package dev.posthorn.server.grpc;

import dev.posthorn.event.EventLimits;
import dev.posthorn.server.ingest.Ingest;
import dev.posthorn.server.memory.RequestMemory;
import dev.posthorn.server.settings.HubSettings;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Puts the calls of gRPC together. */
@Configuration(proxyBeanMethods = false)
class GrpcWiring {

    /** Each of a call's threads waits for a connection at times, so there are more of them than of those. */
    private static final int THREADS_PER_CONNECTION = 2;

    private static final int FEWEST_THREADS = 8;

    @Bean
    EventHubService eventHubService(HubSettings settings, EventLimits limits, Ingest ingest, RequestMemory memory) {
        return new EventHubService(
                new IngestRecorder(ingest, GrpcAccess.NOBODY),
                new EventMapping(limits),
                settings.limits().batch(),
                memory,
                executor(settings.database().poolSize()));
    }

    private static ExecutorService executor(int connections) {
        AtomicInteger count = new AtomicInteger();
        ThreadFactory threads = task -> {
            Thread thread = new Thread(task, "posthorn-grpc-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
        return Executors.newFixedThreadPool(Math.max(FEWEST_THREADS, THREADS_PER_CONNECTION * connections), threads);
    }
}
