package dev.posthorn.testkit;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for programs that must know theirs before they begin, or that leave them and come back. */
public final class FreePort {

    /**
     * Below those that the system gives to outgoing connections, and below those that embedded servers choose from: either
     * could take one while its program is dead, or before it has begun.
     */
    private static final int FIRST = 11_000;

    private static final int END = 15_000;

    /**
     * What was given out is bound for UDP, which nobody here speaks, for as long as this JVM lives: the tests of another
     * module, which run at the same time, could be given it too before its program has begun.
     */
    private static final List<DatagramSocket> GIVEN = new ArrayList<>();

    private FreePort() {}

    /** Never the same one twice. */
    public static synchronized int find() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (isFree(port) && take(port)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    private static boolean take(int port) {
        try {
            return GIVEN.add(new DatagramSocket(port, InetAddress.getLoopbackAddress()));
        } catch (SocketException taken) {
            return false;
        }
    }
}
