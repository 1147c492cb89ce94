package dev.posthorn.embedded.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds a port for a server that is stopped and started again.
 *
 * <p>The port is below the range from which the kernel gives ports to outgoing connections. A port out of that range can be taken
 * by any client while the server is down, and a client that keeps knocking at a dead local port can even be connected to itself;
 * either way the server could not come back.
 */
final class FreePort {
    private static final int FIRST = 15_000;
    private static final int END = 32_000;
    private static final int TRIES = 200;

    private FreePort() {}

    static int find() {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (isFree(port)) {
                return port;
            }
        }
        throw new EmbeddedPostgresException("Found no free port on 127.0.0.1 between " + FIRST + " and " + END + " in "
                + TRIES + " tries. Name one with port(...).");
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
