package dev.posthorn.faults;

import dev.posthorn.relay.Relay;
import dev.posthorn.relay.RetryPolicy;
import dev.posthorn.relay.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A relay in a process of its own, so that it can be killed and frozen. It serves two subscriptions to one receiver:
 * one whose sink keeps the order and is pipelined, one that takes an event of a key at a time. Ends cleanly when its
 * standard input does, that is also when its parent dies.
 */
public final class RelayProcess {

    static final String PIPELINED = "pipelined";
    static final String ONE_AT_A_TIME = "one-at-a-time";
    static final List<String> SUBSCRIPTIONS = List.of(PIPELINED, ONE_AT_A_TIME);

    private RelayProcess() {}

    /** Arguments: JDBC URL, user, password, instance, receiver's port, lanes, in-flight limit, lease TTL and timeout in ms. */
    public static void main(String[] args) throws IOException {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(args[0]);
        dataSource.setUser(args[1]);
        dataSource.setPassword(args[2]);
        Relay.Builder builder = Relay.builder(dataSource).instance(args[3]);
        SUBSCRIPTIONS.forEach(name -> builder.subscribe(subscription(name, args)));
        Relay relay = builder.start();
        while (System.in.read() >= 0) {
            // whatever is written to it means nothing
        }
        relay.close();
        System.exit(0);
    }

    private static Subscription subscription(String name, String[] args) {
        SocketSink sink = new SocketSink(args[3], name, Integer.parseInt(args[4]), name.equals(PIPELINED));
        return Subscription.to(name, sink)
                .lanes(Integer.parseInt(args[5]))
                .inFlightLimit(Integer.parseInt(args[6]))
                .leaseTtl(Duration.ofMillis(Long.parseLong(args[7])))
                .timeout(Duration.ofMillis(Long.parseLong(args[8])))
                // Whatever fails here passes at once, and a run has no time to wait for minutes.
                .retry(RetryPolicy.of(RetryPolicy.UNLIMITED, Duration.ofMillis(200)))
                .fromBeginning()
                .build();
    }
}
