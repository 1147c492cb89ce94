package dev.posthorn.faults.proof;

import dev.posthorn.faults.harness.ChildProgram;
import dev.posthorn.faults.killpoint.KillPoints;
import dev.posthorn.faults.killpoint.Kind;
import dev.posthorn.faults.killpoint.Point;
import dev.posthorn.faults.killpoint.PointedDataSource;
import dev.posthorn.faults.killpoint.PointedSink;
import dev.posthorn.relay.Relay;
import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * A relay in a process of its own, so that it can be killed. The first of them stops between the broker's acknowledgement
 * and the settle, and says so; every other one goes on.
 */
public final class HangingRelay {

    static final String SUBSCRIPTION = "orders";
    static final String HANGS = "sent, not settled";

    private static final String FIRST = "relay-1";

    private HangingRelay() {}

    /** Arguments: JDBC URL, user, password, instance, bootstrap servers, topic. */
    public static void main(String[] args) throws IOException {
        KillPoints points = new KillPoints(args[3].equals(FIRST) ? new HangsBeforeSettle() : point -> {});
        points.arm();
        ChildProgram.run(Relay.builder(new PointedDataSource(ChildProgram.dataSource(args), points).get())
                .instance(args[3])
                .workers(1)
                .sessionTtl(Duration.ofSeconds(40))
                .subscribe(subscription(new PointedSink(Topics.sink(args[4], args[5]), points))));
    }

    private static Subscription subscription(Sink sink) {
        return Subscription.to(SUBSCRIPTION, sink)
                .lanes(1)
                // So long that the first answer is not that it took too long.
                .timeout(Duration.ofSeconds(15))
                .fromBeginning()
                .build();
    }

    private static final class HangsBeforeSettle implements Consumer<Point> {

        private volatile boolean answered;

        @Override
        public void accept(Point point) {
            if (point.place() == Point.Place.BEFORE_ANSWER) {
                answered = true;
            } else if (answered
                    && point.place() == Point.Place.BEFORE_STATEMENT
                    && point.kinds().contains(Kind.MARK)) {
                System.out.println(HANGS);
                hang();
            }
        }

        private static void hang() {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
