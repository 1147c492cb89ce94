package dev.posthorn.faults.replay;

import dev.posthorn.faults.harness.ChildProgram;
import dev.posthorn.faults.harness.Fleet;
import dev.posthorn.relay.Relay;
import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A relay in a process of its own, so that it can be killed, with one subscription over HTTP. Ends with its standard input. */
public final class ReplayingRelay {

    static final String SUBSCRIPTION = "receiver";

    static final int LANES = 4;
    static final int IN_FLIGHT_LIMIT = 100;
    static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** As short as a lease may be for this timeout. */
    static final Duration LEASE = Duration.ofSeconds(3);

    private ReplayingRelay() {}

    /** What {@link Fleet} is to add to its arguments. */
    static List<String> settings(int receiverPort) {
        return List.of(Integer.toString(receiverPort));
    }

    /** Arguments: JDBC URL, user, password, instance, receiver's port. */
    public static void main(String[] args) throws IOException {
        Sink sink = ChildProgram.httpSink(args[3], Integer.parseInt(args[4]));
        ChildProgram.run(Relay.builder(ChildProgram.dataSource(args))
                .instance(args[3])
                .sessionTtl(LEASE)
                .subscribe(subscription(sink)));
    }

    /** From now on: what is in the log before the first of them starts counts as settled. */
    private static Subscription subscription(Sink sink) {
        return Subscription.to(SUBSCRIPTION, sink)
                .lanes(LANES)
                .inFlightLimit(IN_FLIGHT_LIMIT)
                .timeout(TIMEOUT)
                .retry(RetryPolicy.of(RetryPolicy.UNLIMITED, Duration.ofMillis(200)))
                .fromNow()
                .build();
    }
}
