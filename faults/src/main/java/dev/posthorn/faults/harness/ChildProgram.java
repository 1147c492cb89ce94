package dev.posthorn.faults.harness;

import dev.posthorn.http.Destinations;
import dev.posthorn.http.HttpSink;
import dev.posthorn.relay.Relay;
import dev.posthorn.sink.Sink;
import java.io.IOException;
import javax.sql.DataSource;

/** What the programs that a {@link Fleet} starts have in common. */
public final class ChildProgram {

    private ChildProgram() {}

    /** Where its first three arguments say. */
    public static DataSource dataSource(String[] args) {
        return Database.dataSource(args[0], args[1], args[2]);
    }

    /** To a receiver on this machine, which is told who sends. */
    public static Sink httpSink(String instance, int port) {
        return HttpSink.builder("http://127.0.0.1:" + port + "/events")
                .destinations(Destinations.builder().allowLoopback().build())
                .header(ReceivedRequest.INSTANCE, instance)
                .build();
    }

    public static void run(Relay.Builder builder) throws IOException {
        Relay relay = builder.start();
        untilToldToEnd();
        relay.close();
        System.exit(0);
    }

    /** Its standard input ends when it is to end, and when its parent has. */
    public static void untilToldToEnd() throws IOException {
        while (System.in.read() >= 0) {
            // whatever is written to it means nothing
        }
    }
}
