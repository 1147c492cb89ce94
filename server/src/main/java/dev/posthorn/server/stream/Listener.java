package dev.posthorn.server.stream;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Somebody who watches. What is to be told waits in memory until its connection takes it, so that it holds no thread; one
 * that takes too little is let go, and asks again from where it was.
 */
final class Listener implements WriteListener, AsyncListener {

    private static final Logger log = LoggerFactory.getLogger(Listener.class);

    private static final int MOST_WAITING_BYTES = 262_144;

    private final AsyncContext call;
    private final ServletOutputStream out;
    private final Set<Topic> topics;
    private final TailMatch match;
    private final Runnable recheck;
    private final Consumer<Listener> leave;
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private int waitingBytes;
    private boolean unflushed;
    private boolean begun;
    private boolean ended;

    Listener(AsyncContext call, Set<Topic> topics, TailMatch match, Runnable recheck, Consumer<Listener> leave)
            throws IOException {
        this.call = call;
        this.out = call.getResponse().getOutputStream();
        this.topics = Set.copyOf(topics);
        this.match = match;
        this.recheck = recheck;
        this.leave = leave;
    }

    /** From here on what was offered is written. */
    void begin() {
        call.addListener(this);
        out.setWriteListener(this);
    }

    Set<Topic> topics() {
        return topics;
    }

    TailMatch match() {
        return match;
    }

    /** Ends it if its key is worth nothing any more. */
    void checkAgain() {
        try {
            recheck.run();
        } catch (RuntimeException notAnyMore) {
            end();
        }
    }

    /** To be written when the connection takes it. */
    synchronized void offer(byte[] message) {
        if (ended) {
            return;
        }
        if (!waiting.isEmpty() && waitingBytes + message.length > MOST_WAITING_BYTES) {
            log.debug("A listener takes less than there is to tell; letting it go");
            end();
            return;
        }
        waiting.add(message);
        waitingBytes += message.length;
        if (begun) {
            write();
        }
    }

    @Override
    public synchronized void onWritePossible() {
        begun = true;
        write();
    }

    private void write() {
        try {
            while (!ended && out.isReady()) {
                byte[] next = waiting.poll();
                if (next != null) {
                    waitingBytes -= next.length;
                    out.write(next);
                    unflushed = true;
                } else if (unflushed) {
                    unflushed = false;
                    out.flush();
                } else {
                    return;
                }
            }
        } catch (IOException | IllegalStateException gone) {
            end();
        }
    }

    /** What was written may still be on its way; nothing more is. */
    void end() {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            waiting.clear();
        }
        leave.accept(this);
        try {
            call.complete();
        } catch (IllegalStateException over) {
            log.debug("A listener has gone already", over);
        }
    }

    @Override
    public void onError(Throwable gone) {
        end();
    }

    @Override
    public void onComplete(AsyncEvent event) {
        end();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        end();
    }

    @Override
    public void onError(AsyncEvent event) {
        end();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // It is never started twice.
    }
}
