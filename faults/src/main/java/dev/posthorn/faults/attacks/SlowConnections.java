package dev.posthorn.faults.attacks;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.ToIntFunction;

/** Connections that take up room: a crowd of those who say little, slowly. */
record SlowConnections(
        String name, String sentence, ToIntFunction<AttackedHub> port, int most, String beginning, Duration every)
        implements Attack {

    /** Files for everybody else in this process. */
    private static final long SPARE_FILES = 1_500;

    private static final int MANY = 10_000;

    static Attack bodies() {
        return new SlowConnections(
                "slow-bodies",
                "240 connections with a wrong key and a body of 16 MB, of which a byte comes every 3 s",
                AttackedHub::httpPort,
                240,
                "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\n"
                        + "Content-Type: application/json\r\nContent-Length: 16000000\r\n\r\n{",
                Duration.ofSeconds(3));
    }

    static Attack headers() {
        return new SlowConnections(
                "slow-headers",
                "10,000 connections with a byte of a header every 3 s",
                AttackedHub::httpPort,
                MANY,
                "GET /actuator/health/liveness HTTP/1.1\r\nX-Slow: ",
                Duration.ofSeconds(3));
    }

    static Attack idle() {
        return saysNothing("idle", "10,000 connections that say nothing", AttackedHub::httpPort);
    }

    static Attack idleGrpc() {
        return saysNothing("idle-grpc", "the same to the port of gRPC", AttackedHub::grpcPort);
    }

    private static Attack saysNothing(String name, String sentence, ToIntFunction<AttackedHub> port) {
        return new SlowConnections(name, sentence, port, MANY, "", Duration.ofDays(1));
    }

    @Override
    public void run(Round round) throws IOException {
        int size = (int) Math.min(most, freeFiles() - SPARE_FILES);
        round.got().add("at a time", size);
        new Crowd(round, port.applyAsInt(round.hub()), size, beginning, every).goOn();
    }

    /** How many more this process may have open. */
    private static long freeFiles() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount()
                : Long.MAX_VALUE;
    }
}
