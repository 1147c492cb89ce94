package dev.posthorn.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.kafka.KafkaSink;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscription;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A relay as a program of its own. Twice a second it reports on its output how many lanes it has and how many events it
 * has delivered. The line {@value #STOP} on its input asks it to end; if its input just ends, so does it, because then
 * the demo was killed and Kafka with it.
 */
final class RelayProcess {

    static final String PASSWORD = "POSTHORN_DEMO_PASSWORD";
    static final String STOP = "stop";

    private static final int REPORT_MILLIS = 500;

    private RelayProcess() {}

    public static void main(String[] args) throws InterruptedException {
        String instance = args[0];
        int lanes = Integer.parseInt(args[3]);
        var sink = new CountingSink(KafkaSink.builder(args[2]).build());
        var stop = new CountDownLatch(1);
        startListening(stop);
        try (Relay relay = Relay.builder(database(args[1]))
                .instance(instance)
                .subscribe(Subscription.to("order-events", sink)
                        .lanes(lanes)
                        .fromBeginning()
                        .build())
                .start()) {
            do {
                report(relay.lanes().size(), sink);
            } while (!stop.await(REPORT_MILLIS, TimeUnit.MILLISECONDS));
        }
        report(0, sink);
    }

    private static PGSimpleDataSource database(String url) {
        var database = new PGSimpleDataSource();
        database.setUrl(url);
        database.setUser("postgres");
        database.setPassword(System.getenv(PASSWORD));
        return database;
    }

    private static void report(int lanes, CountingSink sink) {
        System.out.println("lanes " + lanes + " delivered " + sink.delivered());
    }

    private static void startListening(CountDownLatch stop) {
        var listener = new Thread(
                () -> {
                    if (STOP.equals(nextLine())) {
                        stop.countDown();
                    } else {
                        System.exit(1);
                    }
                },
                "parent-listener");
        listener.setDaemon(true);
        listener.start();
    }

    private static @Nullable String nextLine() {
        try {
            return new BufferedReader(new InputStreamReader(System.in, UTF_8)).readLine();
        } catch (IOException e) {
            return null;
        }
    }
}
