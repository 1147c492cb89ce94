package dev.posthorn.server.grpc;

import dev.posthorn.server.memory.RequestMemory;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a call brings, from its first bytes: gRPC gathers a message whole before anybody sees it, and a caller may
 * begin many and finish none. A call for which there is no room is ended.
 */
final class InboundBytes extends ServerStreamTracer {

    private static final Context.Key<InboundBytes> CURRENT = Context.key("inbound-bytes");
    private static final Metadata.Key<String> ENCODING =
            Metadata.Key.of("grpc-encoding", Metadata.ASCII_STRING_MARSHALLER);

    /** Health and reflection, which everybody may ask, need a few dozen bytes. */
    private static final long MOST_OF_ANYBODY = 64 << 10;

    private final RequestMemory memory;
    private final boolean open;
    private final boolean compressed;
    private final Queue<Long> messages = new ArrayDeque<>();
    private long held;
    private long unpacked;
    private boolean over;
    private @Nullable Problem problem;
    private @Nullable RevocableCall<?, ?> call;

    private InboundBytes(RequestMemory memory, boolean open, boolean compressed) {
        this.memory = open ? memory.ofAnybody() : memory;
        this.open = open;
        this.compressed = compressed;
    }

    static ServerStreamTracer.Factory counting(RequestMemory memory) {
        return new ServerStreamTracer.Factory() {
            @Override
            public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
                boolean open = GrpcAccess.isOpen(method.substring(0, Math.max(0, method.lastIndexOf('/'))));
                return new InboundBytes(memory, open, headers.containsKey(ENCODING));
            }
        };
    }

    /** Of the call that this thread serves; null where nobody counts. */
    static @Nullable InboundBytes current() {
        return CURRENT.get();
    }

    @Override
    public Context filterContext(Context context) {
        return context.withValue(CURRENT, this);
    }

    /** The call to end if it brings too much; it may have already. */
    void end(RevocableCall<?, ?> tooMuch) {
        Problem already;
        synchronized (this) {
            call = tooMuch;
            already = problem;
        }
        if (already != null) {
            tooMuch.revoke(already);
        }
    }

    @Override
    public void inboundWireSize(long bytes) {
        add(bytes, false);
    }

    @Override
    public void inboundUncompressedSize(long bytes) {
        if (compressed) {
            add(bytes, true);
            stopUnpacking();
        }
    }

    /** Whoever reads the message gets no more of it: a few packed bytes may be many. */
    private synchronized void stopUnpacking() {
        if (problem != null) {
            throw GrpcProblems.status(problem);
        }
    }

    /** Not under the lock to the end: a call's own lock is taken before this one. */
    private void add(long bytes, boolean fromPacked) {
        RevocableCall<?, ?> tooMuch;
        Problem found;
        synchronized (this) {
            if (over || problem != null) {
                return;
            }
            found = problem(bytes);
            if (found == null) {
                held += bytes;
                unpacked += fromPacked ? bytes : 0;
                return;
            }
            problem = found;
            tooMuch = call;
            giveBack(held);
        }
        if (tooMuch != null) {
            tooMuch.revoke(found);
        }
    }

    private @Nullable Problem problem(long bytes) {
        if (open && held + bytes > MOST_OF_ANYBODY) {
            return Problem.of(
                    ProblemType.TOO_LARGE, "a call of this service has at most " + MOST_OF_ANYBODY + " bytes");
        }
        return memory.take(bytes, held) ? null : memory.noRoom();
    }

    @Override
    public synchronized void inboundMessageRead(int number, long wireBytes, long bytes) {
        messages.add(wireBytes);
    }

    /** One message of a stream was served; whoever keeps something of it counts that. */
    synchronized void served() {
        Long message = messages.poll();
        giveBack(Math.min(held, (message == null ? 0 : message) + unpacked));
        unpacked = 0;
    }

    @Override
    public synchronized void streamClosed(Status status) {
        over = true;
        giveBack(held);
    }

    private void giveBack(long bytes) {
        memory.giveBack(bytes);
        held -= bytes;
    }
}
