package dev.posthorn.faults.hub;

import dev.posthorn.faults.harness.Crew;
import dev.posthorn.faults.harness.HubProcess;
import java.util.List;
import java.util.SplittableRandom;

/** Several publishers over REST and one over gRPC, until they are stopped. */
final class Publishers {

    private static final int OVER_REST = 5;

    private final Crew crew = new Crew();
    private volatile boolean stopping;

    private Publishers() {}

    /**
     * @param hubs the first one also gets the stream; the others only get what is published over REST
     */
    static Publishers start(List<HubProcess> hubs, Traffic traffic, long seed, Journal journal) {
        Publishers publishers = new Publishers();
        SplittableRandom random = new SplittableRandom(seed);
        List<String> rest = hubs.stream().map(HubProcess::rest).toList();
        for (int i = 0; i < OVER_REST; i++) {
            String name = "rest" + i;
            RestPublisher publisher =
                    new RestPublisher(rest, new Keys(name, traffic, random.split()), random.split(), journal);
            publishers.crew.start(name, () -> publisher.publishUntil(() -> publishers.stopping));
        }
        StreamPublisher stream = new StreamPublisher(
                hubs.get(0).grpcPort(), new Keys("grpc", traffic, random.split()), random.split(), journal);
        publishers.crew.start("grpc", () -> stream.publishUntil(() -> publishers.stopping));
        return publishers;
    }

    /** Throws if one was told what it should not have been told. */
    void check() {
        crew.check();
    }

    /** Returns when everything that was sent is acknowledged. */
    void stop() {
        stopping = true;
        crew.join();
        crew.check();
    }
}
