package dev.posthorn.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.testkit.Receiver.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReceiverTest {

    private final Receiver receiver = Receiver.start();

    @AfterEach
    void close() {
        receiver.close();
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), receiver.port());
    }

    private static void post(Socket socket, String head, String body) throws IOException {
        String request = "POST /hook?n=1 HTTP/1.1\r\n" + head + "Content-Length: " + body.getBytes(UTF_8).length
                + "\r\n\r\n" + body;
        socket.getOutputStream().write(request.getBytes(UTF_8));
    }

    /** As much as one packet brings. */
    private static String read(Socket socket) throws IOException {
        byte[] bytes = new byte[1 << 16];
        int count = socket.getInputStream().read(bytes);
        return count < 0 ? "" : new String(bytes, 0, count, ISO_8859_1);
    }

    @Test
    void requestsOfOneConnectionAreRememberedAsTheyCame() throws IOException {
        try (Socket socket = connect()) {
            post(socket, "Webhook-Id: 7\r\nX-Two: a\r\nx-two: b\r\n", "10 €");
            assertThat(read(socket)).startsWith("HTTP/1.1 204 ");
            post(socket, "ce-type: second\r\n", "");
            assertThat(read(socket)).startsWith("HTTP/1.1 204 ");
        }
        Request first = receiver.requests().get(0);
        assertThat(first.method()).isEqualTo("POST");
        assertThat(first.uri()).hasToString("/hook?n=1");
        assertThat(first.path()).isEqualTo("/hook");
        assertThat(first.id()).isEqualTo("7");
        assertThat(first.header("X-TWO")).isEqualTo("a, b");
        assertThat(first.text()).isEqualTo("10 €");
        assertThat(receiver.requests().get(1).type()).isEqualTo("second");
        assertThat(receiver.count()).isEqualTo(2);
    }

    /** The JDK's own server sends two, and 40 ms may be between them. */
    @Test
    void anAnswerComesInOnePacket() throws IOException {
        receiver.answering(request -> new Answer(503, Map.of("Retry-After", "1"), "not now"));
        try (Socket socket = connect()) {
            post(socket, "", "");
            assertThat(read(socket))
                    .startsWith("HTTP/1.1 503 ")
                    .contains("Retry-After: 1\r\n", "Content-Length: 7\r\n")
                    .endsWith("\r\n\r\nnot now");
        }
    }

    @Test
    void whoStillWaitsForAnAnswerIsCutOffWhenItCloses() throws Exception {
        CountDownLatch came = new CountDownLatch(1);
        receiver.answering(request -> {
            came.countDown();
            new CountDownLatch(1).await();
            return Answer.status(204);
        });
        try (Socket socket = connect()) {
            post(socket, "", "");
            came.await();
            receiver.close();
            assertThat(read(socket)).isEmpty();
        }
    }

    /** A test that asks whether nothing came would pass, and an assertion about a request would be heard by nobody. */
    @Test
    void whatItCouldNotReadOrRefusedByAnAssertionIsToldInTheEnd() throws Exception {
        Receiver other = Receiver.start();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), other.port())) {
            socket.getOutputStream().write("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n".getBytes(UTF_8));
            assertThat(socket.getInputStream().read()).isNegative();
        }
        assertThatThrownBy(other::close).hasRootCauseMessage("nobody reads chunks here: {transfer-encoding=chunked}");
    }
}
