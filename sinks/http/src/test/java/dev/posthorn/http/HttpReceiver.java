package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import dev.posthorn.sink.Sink;
import dev.posthorn.sink.contract.Gate;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Receiver.Answer;
import dev.posthorn.testkit.Request;
import java.net.URLDecoder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/** A real HTTP server behind a gate. It finds events of one type wrong. */
final class HttpReceiver implements dev.posthorn.sink.contract.Receiver {

    private static final String WRONG = "order.wrong";

    private final Gate gate = Gate.open();
    private final Receiver server = Receiver.start()
            .answering(got -> Answer.status(got.header("ce-type").equals(WRONG) ? 422 : 204));

    HttpReceiver() {
        gate.leadTo(server.port());
    }

    @Override
    public Sink sink() {
        return Sends.sink("http://127.0.0.1:" + gate.port()).build();
    }

    @Override
    public Optional<Sink> sinkToNowhere(String secret) {
        return Optional.of(Sends.sink("http://127.0.0.1:1/hook?key=" + secret)
                .authentication(Authentication.basic("posthorn", secret))
                .header("X-Key", secret)
                .build());
    }

    @Override
    public Optional<Event> refusedEvent(String key) {
        return Optional.of(Sends.event().type(WRONG).key(key).build());
    }

    @Override
    public List<Event> arrived() {
        return server.requests().stream()
                .filter(got -> !got.header("ce-type").equals(WRONG))
                .map(HttpReceiver::read)
                .toList();
    }

    private static Event read(Request got) {
        Map<String, String> headers = new TreeMap<>();
        got.headers().forEach((name, value) -> headers.put(name, decoded(value)));
        String id = decoded(got.header("ce-id"));
        String ours = got.header("ce-posthornid");
        return new Event(
                UUID.fromString(ours == null ? id : ours),
                ours == null ? null : id,
                decoded(got.header("ce-source")),
                decoded(got.header("ce-type")),
                Integer.parseInt(got.header("ce-eventversion")),
                decoded(got.header("ce-aggregatetype")),
                decoded(got.header("ce-subject")),
                got.header("content-type"),
                got.body(),
                headers,
                Instant.parse(got.header("ce-time")),
                null);
    }

    private static String decoded(String text) {
        return text == null ? null : URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
    }

    @Override
    public void leave() {
        gate.leave();
    }

    @Override
    public void fallSilent() {
        gate.fallSilent();
    }

    @Override
    public void comeBack() {
        gate.comeBack();
    }

    @Override
    public void close() {
        gate.close();
        server.close();
    }
}
