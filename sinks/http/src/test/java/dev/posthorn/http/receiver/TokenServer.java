package dev.posthorn.http.receiver;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Receiver.Answer;
import dev.posthorn.testkit.Request;
import java.net.URI;
import java.net.URLDecoder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A token endpoint at {@code /token}: gives token-1, token-2 and so on, unless told otherwise. */
public final class TokenServer implements AutoCloseable {

    /** What somebody asked for. */
    public record Asked(URI url, String authorization, String contentType, Map<String, String> form) {}

    private final Receiver receiver = Receiver.start();
    private final AtomicInteger tokens = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    public TokenServer() {
        givesTokens(3600);
    }

    public String url() {
        return receiver.url("/token");
    }

    /** From now on, with an {@code %d} where the number of the answer goes. */
    public void answers(int status, String body) {
        receiver.answering(request -> {
            gate.await();
            return Answer.of(status, body.replace("%d", Integer.toString(tokens.incrementAndGet())));
        });
    }

    public void givesTokens(int expiresIn) {
        answers(200, "{\"access_token\":\"token-%d\",\"token_type\":\"Bearer\",\"expires_in\":" + expiresIn + "}");
    }

    /** Keeps answers back until the gate is opened. */
    public CountDownLatch holds() {
        gate = new CountDownLatch(1);
        return gate;
    }

    public List<Asked> asked() {
        return receiver.requests().stream().map(TokenServer::asked).toList();
    }

    private static Asked asked(Request request) {
        Map<String, String> form = new TreeMap<>();
        for (String each : request.text().split("&", -1)) {
            String[] parts = each.split("=", 2);
            form.put(URLDecoder.decode(parts[0], UTF_8), URLDecoder.decode(parts[1], UTF_8));
        }
        return new Asked(request.uri(), request.header("Authorization"), request.header("Content-Type"), form);
    }

    @Override
    public void close() {
        receiver.close();
    }
}
