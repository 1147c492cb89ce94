package dev.posthorn.faults.steps;

import dev.posthorn.faults.Fleet;
import dev.posthorn.faults.SocketSink;
import dev.posthorn.log.Filter;
import dev.posthorn.relay.AfterDeadLetter;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.RetryPolicy;
import dev.posthorn.relay.Subscription;
import dev.posthorn.sink.Sink;
import java.io.IOException;
import java.time.Duration;

/** A relay in a process of its own that ends itself, without a word, at the first point of a certain sort. */
public final class HaltingRelay {

    /** What the process exits with. */
    static final int HALTED = 86;

    private HaltingRelay() {}

    /** Arguments: JDBC URL, user, password, receiver's port, subscription, place, kind. Ends with its standard input. */
    public static void main(String[] args) throws IOException {
        Halts.Target target = new Halts.Target(Point.Place.valueOf(args[5]), Kind.valueOf(args[6]));
        KillPoints points = new KillPoints(point -> {
            if (target.isMetBy(point)) {
                Runtime.getRuntime().halt(HALTED);
            }
        });
        points.arm();
        Sink sink = new SocketSink("halting", args[4], Integer.parseInt(args[3]), false);
        Relay relay = Relay.builder(new PointedDataSource(Fleet.dataSource(args), points).get())
                .workers(1)
                .subscribe(subscription(args[4], new PointedSink(sink, points)))
                .start();
        Fleet.untilToldToEnd();
        relay.close();
        System.exit(0);
    }

    static Subscription subscription(String name, Sink sink) {
        return Subscription.to(name, sink)
                .filter(Filter.ALL.sources(name))
                .fromBeginning()
                .lanes(1)
                .timeout(Duration.ofSeconds(5))
                .retry(RetryPolicy.of(5, Duration.ofMillis(100)))
                .afterDeadLetter(AfterDeadLetter.HOLD)
                .build();
    }
}
