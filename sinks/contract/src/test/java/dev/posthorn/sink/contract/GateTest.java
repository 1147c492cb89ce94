package dev.posthorn.sink.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GateTest {

    private static final int END = -1;

    private final Gate gate = Gate.open();
    private ServerSocket echo;

    @BeforeEach
    void startEcho() throws IOException {
        echo = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::answer);
        thread.setDaemon(true);
        thread.start();
        gate.leadTo(echo.getLocalPort());
    }

    @AfterEach
    void stop() throws IOException {
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

            assertThatThrownBy(() -> say(before, 2)).isInstanceOf(SocketTimeoutException.class);
            try (Socket meanwhile = connect()) {
                assertThatThrownBy(() -> say(meanwhile, 3)).isInstanceOf(SocketTimeoutException.class);
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
        socket.setSoTimeout(500);
        return socket;
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

    /** One client at a time is enough: whoever comes next finds the one before gone. */
    private void answer() {
        while (!echo.isClosed()) {
            echoOne();
        }
    }

    private void echoOne() {
        try (Socket client = echo.accept()) {
            client.getInputStream().transferTo(client.getOutputStream());
        } catch (IOException gone) {
            // The next one, if there is one.
            return;
        }
    }
}
