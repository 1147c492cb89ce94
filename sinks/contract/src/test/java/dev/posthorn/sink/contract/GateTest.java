package dev.posthorn.sink.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.testkit.Listener;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GateTest {

    private static final int END = -1;
    private static final int PATIENCE_MILLIS = 60_000;

    /** How long something that must not come is waited for. */
    private static final int GRACE_MILLIS = 500;

    private final Gate gate = Gate.open();
    private final Listener echo =
            Listener.start(socket -> socket.getInputStream().transferTo(socket.getOutputStream()));

    @BeforeEach
    void leadToEcho() {
        gate.leadTo(echo.port());
    }

    @AfterEach
    void stop() {
        gate.close();
        echo.close();
    }

    @Test
    void whatComesPassesInBothDirections() throws IOException {
        try (Socket client = connect()) {
            assertThat(say(client, 17)).isEqualTo(17);
            assertThat(say(client, 200)).isEqualTo(200);
        }
    }

    @Test
    void whileItIsClosedNobodyListensAndConnectionsAreCut() throws IOException {
        try (Socket client = connect()) {
            assertThat(say(client, 1)).isEqualTo(1);

            gate.leave();

            assertThat(isCut(client)).isTrue();
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        }
        gate.comeBack();
        try (Socket client = connect()) {
            assertThat(say(client, 2)).isEqualTo(2);
        }
    }

    @Test
    void inSilenceConnectionsStayAndNothingPasses() throws IOException {
        try (Socket before = connect()) {
            assertThat(say(before, 1)).isEqualTo(1);

            gate.fallSilent();

            assertNotAnswered(before, 2);
            try (Socket meanwhile = connect()) {
                assertNotAnswered(meanwhile, 3);
                gate.comeBack();
                assertThat(isCut(meanwhile)).isTrue();
            }
            assertThat(isCut(before)).isTrue();
        }
        try (Socket after = connect()) {
            assertThat(say(after, 4)).isEqualTo(4);
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), gate.port());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static void assertNotAnswered(Socket socket, int value) throws IOException {
        socket.setSoTimeout(GRACE_MILLIS);
        assertThatThrownBy(() -> say(socket, value)).isInstanceOf(SocketTimeoutException.class);
        socket.setSoTimeout(PATIENCE_MILLIS);
    }

    private static int say(Socket socket, int value) throws IOException {
        socket.getOutputStream().write(value);
        return socket.getInputStream().read();
    }

    /** An end or a reset: which one is the kernel's choice. */
    private static boolean isCut(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() == END;
        } catch (SocketException reset) {
            return true;
        }
    }
}
