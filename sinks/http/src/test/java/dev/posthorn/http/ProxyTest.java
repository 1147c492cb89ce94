package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.http.receiver.Certificates;
import dev.posthorn.http.receiver.Hostility;
import dev.posthorn.http.receiver.Http2Receiver;
import dev.posthorn.http.receiver.RawReceiver;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testkit.Listener;
import dev.posthorn.testkit.Receiver;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Through a proxy: plainly, or by a tunnel where the receiver is to be reached over TLS. */
class ProxyTest {

    private static Certificates certificates;

    private final List<String> heads = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void makeCertificates(@TempDir Path directory) {
        certificates = Certificates.in(directory);
    }

    private Listener tunnelTo(int port) {
        return Listener.start(socket -> {
            heads.add(head(socket.getInputStream()));
            socket.getOutputStream().write("HTTP/1.1 200 Connection established\r\n\r\n".getBytes(UTF_8));
            try (Socket onward = new Socket(InetAddress.getLoopbackAddress(), port)) {
                Listener.daemon(() -> pass(onward, socket)).start();
                socket.getInputStream().transferTo(onward.getOutputStream());
            }
        });
    }

    private static void pass(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException over) {
            // One of them has ended it.
            return;
        }
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.read());
        }
        return head.toString();
    }

    private static HttpSink.Builder sink(String url, int proxy) {
        return Sends.sink(url)
                .proxy("http://127.0.0.1:" + proxy)
                .tls(Tls.builder().trustOnly(certificates.caPem()).build());
    }

    @Test
    void aSecureReceiverIsReachedByATunnelThatIsUsedAgain() {
        try (Receiver receiver = Receiver.start(certificates.server(), false);
                Listener proxy = tunnelTo(receiver.port());
                Channel channel =
                        sink(receiver.url("/hook"), proxy.port()).build().open("t/0", Sends.TIMEOUT)) {
            for (int i = 0; i < 3; i++) {
                assertThat(Sends.through(channel, Sends.event().build(), 1)).isInstanceOf(Outcome.Delivered.class);
            }
            assertThat(receiver.requests())
                    .hasSize(3)
                    .allMatch(got -> got.path().equals("/hook"));
            assertThat(heads).hasSize(1);
            assertThat(heads.get(0))
                    .startsWith("CONNECT 127.0.0.1:" + receiver.port() + " HTTP/1.1\r\n")
                    .contains("Host: 127.0.0.1:" + receiver.port() + "\r\n")
                    .doesNotContain("webhook-id");
        }
    }

    @Test
    void http2IsSpokenThroughATunnelToo() throws Exception {
        try (Http2Receiver receiver = new Http2Receiver(certificates.server());
                Listener proxy = tunnelTo(receiver.port());
                Channel channel = sink(receiver.url(), proxy.port()).build().open("t/0", Sends.TIMEOUT)) {
            assertThat(Sends.through(channel, Sends.event().build(), 1)).isInstanceOf(Outcome.Delivered.class);
            assertThat(receiver.versions()).containsExactly("HTTP/2.0");
        }
    }

    @Test
    void aPlainReceiverIsNamedInTheRequest() {
        try (RawReceiver proxy = RawReceiver.start(wire -> {
                    heads.add(wire.head());
                    wire.say(Hostility.head(204));
                    wire.drain();
                });
                Channel channel = sink("http://127.0.0.1:1/hook?a=b", proxy.port())
                        .build()
                        .open("t/0", Sends.TIMEOUT)) {
            assertThat(Sends.through(channel, Sends.event().build(), 1)).isInstanceOf(Outcome.Delivered.class);
            assertThat(heads.get(0)).startsWith("POST http://127.0.0.1:1/hook?a=b HTTP/1.1\r\n");
        }
    }

    @Test
    void aProxyThatRefusesTheTunnelIsTheOneThatAnswersAndGetsNothing() {
        try (RawReceiver proxy = RawReceiver.start(wire -> {
                    heads.add(wire.head());
                    wire.say(Hostility.head(407, "Content-Length: 2") + "no");
                    heads.add(wire.head());
                });
                Channel channel =
                        sink("https://127.0.0.1:1/hook", proxy.port()).build().open("t/0", Sends.TIMEOUT)) {
            for (int i = 0; i < 2; i++) {
                assertThat(Sends.through(channel, Sends.event().build(), 1))
                        .isInstanceOf(Outcome.Unavailable.class)
                        .hasToString("Unavailable[errorClass=AUTH, reason=the proxy does not let us: HTTP 407 Proxy"
                                + " Authentication Required: no, reply=Reply[code=407, text=no]]");
            }
            assertThat(heads).hasSize(2).allMatch(head -> head.startsWith("CONNECT 127.0.0.1:1 "));
        }
    }
}
