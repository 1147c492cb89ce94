package dev.posthorn.benchmarks.relay;

import dev.posthorn.relay.Relay;
import dev.posthorn.subscription.Subscription;
import java.io.IOException;
import java.io.OutputStream;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * One relay process of the benchmark {@link Scale}: {@code ScaleRelay <JDBC URL> <user> <receiver's port> <subscription>
 * <lanes> <in-flight limit> <workers>}, the password in the environment. It ends when its standard input does, so that
 * it cannot outlive whoever started it.
 */
public final class ScaleRelay {

    static final String PASSWORD = "POSTHORN_BENCH_PASSWORD";

    private ScaleRelay() {}

    public static void main(String[] args) throws IOException {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(args[0]);
        dataSource.setUser(args[1]);
        dataSource.setPassword(System.getenv(PASSWORD));
        Subscription subscription = Subscription.to(args[3], new ReceiverSink(Integer.parseInt(args[2])))
                .fromBeginning()
                .lanes(Integer.parseInt(args[4]))
                .inFlightLimit(Integer.parseInt(args[5]))
                .build();
        try (Relay relay = Relay.builder(dataSource)
                .subscribe(subscription)
                .workers(Integer.parseInt(args[6]))
                .start()) {
            System.out.println("ready " + relay.instance());
            // Nothing is ever said to it: the end of the input is the message.
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }
}
