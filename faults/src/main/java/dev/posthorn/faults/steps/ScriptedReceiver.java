package dev.posthorn.faults.steps;

import dev.posthorn.faults.harness.ReceivedLine;
import dev.posthorn.faults.harness.SocketSink;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testkit.Listener;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** Where relay processes deliver to: each subscription has a script that answers. */
final class ScriptedReceiver implements AutoCloseable {

    private final Map<String, Script> scripts = new ConcurrentHashMap<>();
    private final Listener listener;

    ScriptedReceiver() throws IOException {
        this.listener = ReceivedLine.listen(this::answer);
    }

    int port() {
        return listener.port();
    }

    void play(Script script) {
        scripts.put(script.source(), script);
    }

    private void answer(ReceivedLine line) throws IOException {
        Script script = Objects.requireNonNull(scripts.get(line.subscription()));
        line.answer(word(script.arrive(line.id(), 1)));
    }

    private static String word(Outcome outcome) {
        if (outcome instanceof Outcome.Delivered) {
            return "";
        }
        return outcome instanceof Outcome.Retry ? SocketSink.LATER : SocketSink.NEVER;
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
