package dev.posthorn.faults.steps;

import dev.posthorn.faults.harness.ChildProgram;
import dev.posthorn.faults.harness.SocketSink;
import dev.posthorn.faults.killpoint.KillPoints;
import dev.posthorn.faults.killpoint.Kind;
import dev.posthorn.faults.killpoint.Point;
import dev.posthorn.faults.killpoint.PointedDataSource;
import dev.posthorn.faults.killpoint.PointedSink;
import dev.posthorn.log.Filter;
import dev.posthorn.relay.Relay;
import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
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
        ChildProgram.run(Relay.builder(new PointedDataSource(ChildProgram.dataSource(args), points).get())
                .workers(1)
                .sessionTtl(SESSION)
                .subscribe(subscription(args[4], new PointedSink(sink, points))));
    }

    /** Long enough for the timeout. */
    static final Duration SESSION = Duration.ofMinutes(3);

    static Subscription subscription(String name, Sink sink) {
        return Subscription.to(name, sink)
                .filter(Filter.ALL.sources(name))
                .fromBeginning()
                .lanes(1)
                // So long that nothing is sent twice because the machine was busy.
                .timeout(Duration.ofMinutes(1))
                .retry(RetryPolicy.of(5, Duration.ofMillis(100)))
                .afterDeadLetter(AfterDeadLetter.HOLD)
                .build();
    }
}
