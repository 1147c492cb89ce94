package dev.posthorn.benchmarks.relay;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Sink;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Delivers to a {@link SlowReceiver} over one connection, one event of a key at a time, as to an HTTP receiver. */
final class ReceiverSink implements Sink {

    private final DataInputStream in;
    private final DataOutputStream out;
    private final AtomicLong requests = new AtomicLong();
    private final Map<Long, Answer> waiting = new ConcurrentHashMap<>();

    ReceiverSink(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        this.out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        Thread reader = new Thread(this::takeAnswers, "receiver-answers");
        reader.setDaemon(true);
        reader.start();
    }

    @Override
    public boolean keepsOrder() {
        return false;
    }

    @Override
    public Channel open(String lane, Duration timeout) {
        return new ReceiverChannel();
    }

    private void takeAnswers() {
        try {
            while (true) {
                Answer answer = waiting.remove(in.readLong());
                if (answer != null) {
                    answer.with(Outcome.DELIVERED);
                }
            }
        } catch (IOException closed) {
            waiting.values().forEach(answer -> answer.with(new Outcome.Unavailable("the receiver is gone")));
        }
    }

    private final class ReceiverChannel implements Channel {

        @Override
        public void send(RecordedEvent event, int attempt, Answer answer) {
            long request = requests.incrementAndGet();
            waiting.put(request, answer);
            try {
                synchronized (out) {
                    out.writeLong(request);
                }
            } catch (IOException e) {
                answer.with(new Outcome.Unavailable("the receiver is gone: " + e.getMessage()));
            }
        }

        @Override
        public void flush() {
            try {
                synchronized (out) {
                    out.flush();
                }
            } catch (IOException gone) {
                // The reader meets the same end and answers for everything that is waiting.
                return;
            }
        }

        @Override
        public void close() {}
    }
}
