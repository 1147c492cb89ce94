package dev.posthorn.faults.harness;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Sink;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Sends events, one connection per channel. A line says who is speaking, then every event is a line of id and payload;
 * the receiver answers with the id once it has it, and, if it does not take it, with one word more.
 */
public final class SocketSink implements Sink {

    /** What a receiver adds to the id if the event should come again, or never. */
    public static final String LATER = " later";

    public static final String NEVER = " never";

    static final int ID_LENGTH = 36;

    private static final int LONGEST_CONNECT_MILLIS = 30_000;

    private final String instance;
    private final String subscription;
    private final int port;
    private final boolean keepsOrder;

    public SocketSink(String instance, String subscription, int port, boolean keepsOrder) {
        this.instance = instance;
        this.subscription = subscription;
        this.port = port;
        this.keepsOrder = keepsOrder;
    }

    @Override
    public boolean keepsOrder() {
        return keepsOrder;
    }

    @Override
    public Channel open(String lane, Duration timeout) {
        Connection connection = new Connection();
        start("send-" + lane, connection::sendAll);
        return connection;
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private final class Connection implements Channel {

        private final BlockingQueue<RecordedEvent> queue = new LinkedBlockingQueue<>();
        private final Map<String, Answer> unanswered = new ConcurrentHashMap<>();
        private volatile boolean ended;
        private final Socket socket = new Socket();

        @Override
        public void send(RecordedEvent event, int attempt, Answer answer) {
            unanswered.put(event.event().id().toString(), answer);
            queue.add(event);
            if (ended) {
                fail("the connection to the receiver is gone");
            }
        }

        /** On a thread of its own, because connecting and writing may block. */
        private void sendAll() {
            try (socket) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), LONGEST_CONNECT_MILLIS);
                socket.setTcpNoDelay(true);
                start("answers", this::hearAnswers);
                BufferedWriter out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream(), UTF_8));
                out.write(instance + " " + subscription + "\n");
                while (!ended) {
                    RecordedEvent event = queue.take();
                    if (!ended) {
                        out.write(line(event));
                    }
                    if (queue.isEmpty()) {
                        out.flush();
                    }
                }
            } catch (IOException e) {
                fail(e.toString());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static String line(RecordedEvent event) {
            return event.event().id() + " " + new String(event.event().payload(), UTF_8) + "\n";
        }

        private void hearAnswers() {
            try {
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    Answer answer = unanswered.remove(line.substring(0, ID_LENGTH));
                    if (answer != null) {
                        answer.with(outcome(line.substring(ID_LENGTH)));
                    }
                }
                fail("the receiver closed the connection");
            } catch (IOException e) {
                fail(e.toString());
            }
        }

        private static Outcome outcome(String word) {
            return switch (word) {
                case "" -> Outcome.DELIVERED;
                case LATER -> new Outcome.Retry(ErrorClass.SERVER_ERROR, "the receiver says: later");
                default -> new Outcome.Reject(ErrorClass.INVALID, "the receiver says:" + word);
            };
        }

        private void fail(String reason) {
            ended = true;
            for (String id : List.copyOf(unanswered.keySet())) {
                Answer answer = unanswered.remove(id);
                if (answer != null) {
                    answer.with(new Outcome.Unavailable(reason));
                }
            }
        }

        @Override
        public void close() {
            ended = true;
            unanswered.clear();
            try {
                socket.close();
            } catch (IOException e) {
                // nothing more to free
            }
        }
    }
}
