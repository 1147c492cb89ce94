package dev.posthorn.faults;

import dev.posthorn.http.Destinations;
import dev.posthorn.http.HttpSink;
import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.RetryPolicy;
import dev.posthorn.relay.Subscription;
import dev.posthorn.sink.Sink;
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
    static final String HTTP = "http";
    public static final List<String> SUBSCRIPTIONS = List.of(PIPELINED, ONE_AT_A_TIME, HTTP);

    private RelayProcess() {}

    /**
     * Arguments: JDBC URL, user, password, instance, receiver's port for sockets and for HTTP, lanes, in-flight limit,
     * lease TTL and timeout in ms, and the guards that are lifted.
     */
    public static void main(String[] args) throws IOException {
        Relay.Builder builder =
                Relay.builder(Fleet.dataSource(args)).instance(args[3]).guards(guards(args));
        SUBSCRIPTIONS.forEach(name -> builder.subscribe(subscription(name, args)));
        Relay relay = builder.start();
        Fleet.untilToldToEnd();
        relay.close();
        System.exit(0);
    }

    private static Guards guards(String[] args) {
        return Guards.without(Stream.of(args).skip(10).map(Guard::valueOf).toArray(Guard[]::new));
    }

    private static Subscription subscription(String name, String[] args) {
        return Subscription.to(name, name.equals(HTTP) ? http(args) : socket(name, args))
                .lanes(Integer.parseInt(args[6]))
                .inFlightLimit(Integer.parseInt(args[7]))
                .leaseTtl(Duration.ofMillis(Long.parseLong(args[8])))
                .timeout(Duration.ofMillis(Long.parseLong(args[9])))
                // Whatever fails here passes at once, and a run has no time to wait for minutes.
                .retry(RetryPolicy.of(RetryPolicy.UNLIMITED, Duration.ofMillis(200)))
                .fromBeginning()
                .build();
    }

    private static Sink socket(String name, String[] args) {
        return new SocketSink(args[3], name, Integer.parseInt(args[4]), name.equals(PIPELINED));
    }

    private static Sink http(String[] args) {
        return HttpSink.builder("http://127.0.0.1:" + args[5] + "/events")
                .destinations(Destinations.builder().allowLoopback().build())
                .header(HttpConversation.INSTANCE, args[3])
                .build();
    }
}
