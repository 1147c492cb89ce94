package dev.posthorn.faults.delivery;

import dev.posthorn.faults.harness.ChildProgram;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Fleet;
import dev.posthorn.faults.harness.SocketSink;
import dev.posthorn.relay.Relay;
import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A relay in a process of its own, so that it can be killed and frozen. It serves three subscriptions: one
 * whose sink keeps the order and is pipelined, one whose sink takes an event of a key at a time, and one over HTTP. Ends
 * cleanly when its standard input does, that is also when its parent dies.
 */
public final class RelayProcess {

    static final String PIPELINED = "pipelined";
    static final String ONE_AT_A_TIME = "one-at-a-time";
    public static final String HTTP = "http";
    public static final List<String> SUBSCRIPTIONS = List.of(PIPELINED, ONE_AT_A_TIME, HTTP);

    private RelayProcess() {}

    /** How a run wants its relays. */
    public record Settings(int lanes, int inFlightLimit, Duration lease, Duration timeout) {}

    public static Fleet fleet(Database database, Receiver receiver, Settings settings) throws IOException {
        Stream<Number> numbers = Stream.of(
                receiver.socketPort(),
                receiver.httpPort(),
                settings.lanes,
                settings.inFlightLimit,
                settings.lease.toMillis(),
                settings.timeout.toMillis());
        return new Fleet(
                database,
                RelayProcess.class,
                "relay",
                numbers.map(String::valueOf).toList());
    }

    /**
     * Arguments: JDBC URL, user, password, instance, receiver's port for sockets and for HTTP, lanes, in-flight limit,
     * session TTL and timeout in ms.
     */
    public static void main(String[] args) throws IOException {
        Relay.Builder builder = Relay.builder(ChildProgram.dataSource(args))
                .instance(args[3])
                .sessionTtl(Duration.ofMillis(Long.parseLong(args[8])));
        SUBSCRIPTIONS.forEach(name -> builder.subscribe(subscription(name, args)));
        ChildProgram.run(builder);
    }

    private static Subscription subscription(String name, String[] args) {
        return Subscription.to(name, sink(name, args))
                .lanes(Integer.parseInt(args[6]))
                .inFlightLimit(Integer.parseInt(args[7]))
                .timeout(Duration.ofMillis(Long.parseLong(args[9])))
                // Whatever fails here passes at once, and a run has no time to wait for minutes.
                .retry(RetryPolicy.of(RetryPolicy.UNLIMITED, Duration.ofMillis(200)))
                .fromBeginning()
                .build();
    }

    private static Sink sink(String name, String[] args) {
        return name.equals(HTTP)
                ? ChildProgram.httpSink(args[3], Integer.parseInt(args[5]))
                : new SocketSink(args[3], name, Integer.parseInt(args[4]), name.equals(PIPELINED));
    }
}
