package dev.posthorn.faults.steps;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.faults.SocketSink;
import dev.posthorn.sink.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Where relay processes deliver to: each subscription has a script that answers. */
final class ScriptedReceiver implements AutoCloseable {

    private final ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    private final Map<String, Script> scripts = new ConcurrentHashMap<>();

    ScriptedReceiver() throws IOException {
        daemon(this::acceptAll);
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "scripted-receiver");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return server.getLocalPort();
    }

    void play(Script script) {
        scripts.put(script.source(), script);
    }

    private void acceptAll() {
        try {
            while (true) {
                Socket socket = server.accept();
                daemon(() -> receiveAll(socket));
            }
        } catch (IOException closed) {
            // the run is over
        }
    }

    private void receiveAll(Socket socket) {
        try (socket) {
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
            OutputStream out = socket.getOutputStream();
            String speaker = in.readLine();
            if (speaker == null) {
                return;
            }
            Script script = Objects.requireNonNull(scripts.get(speaker.substring(speaker.indexOf(' ') + 1)));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String id = line.substring(0, 36);
                out.write((id + word(script.arrive(UUID.fromString(id), 1)) + "\n").getBytes(UTF_8));
            }
        } catch (IOException ended) {
            // as intended
        }
    }

    private static String word(Outcome outcome) {
        if (outcome instanceof Outcome.Delivered) {
            return "";
        }
        return outcome instanceof Outcome.Retry ? SocketSink.LATER : SocketSink.NEVER;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
