package dev.posthorn.server.grpc;

import dev.posthorn.event.Event;
import dev.posthorn.server.ingest.TraceContext;
import dev.posthorn.server.memory.RequestMemory;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.v1.PublishAck;
import io.grpc.Deadline;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One call of PublishStream. Events arrive while those before them are being recorded, one batch at a time: the slower
 * the database, the larger the batches. Every event is in hand from when it is read until its acknowledgement has gone
 * out, and no more is read than there is room for, in number and in bytes. So a client that does not read its acknowledgements is not read
 * from either, and neither is one that sends faster than the database records.
 */
final class EventStream implements StreamObserver<dev.posthorn.v1.Event> {

    static final int MOST_EVENTS = 2_000;
    private static final int MOST_BYTES = 8 << 20;
    private static final int BATCH_EVENTS = 1_000;
    private static final int BATCH_BYTES = 1 << 20;

    /** How many are asked for ahead: their size is not known before they are here. */
    private static final int MOST_ASKED = 64;

    /** Of a stream that has not yet shown how large its events are. */
    private static final int FIRST_ASKED = 8;

    private final EventMapping mapping;
    private final StreamRecorder recorder;
    private final RequestMemory memory;
    private final Executor executor;
    private final TraceContext trace;
    private final @Nullable Deadline end;
    private final ServerCallStreamObserver<PublishAck> client;

    /** Of the next event; only the call's own thread of control touches it. */
    private long position;

    private final Deque<StreamItem> waiting = new ArrayDeque<>();
    private final Deque<PublishAck> acks = new ArrayDeque<>();
    private int asked;
    private int inHand;
    private int bytesInHand;
    private int usualBytes = MOST_BYTES / FIRST_ASKED;
    private boolean recording;
    private boolean halfClosed;
    private @Nullable Problem failure;
    private boolean over;

    /** On the thread that begins the call. */
    EventStream(
            EventMapping mapping,
            StreamRecorder recorder,
            RequestMemory memory,
            Executor executor,
            ServerCallStreamObserver<PublishAck> client) {
        this.mapping = mapping;
        this.recorder = recorder;
        this.memory = memory;
        this.executor = executor;
        this.trace = CallTrace.current();
        this.end = ConnectionAge.end();
        this.client = client;
    }

    /** Begins to read; {@code whenOver} is run once the call has ended in whatever way. */
    void open(Runnable whenOver) {
        client.disableAutoRequest();
        client.setOnReadyHandler(this::advance);
        client.setOnCancelHandler(() -> {
            cancel();
            whenOver.run();
        });
        client.setOnCloseHandler(whenOver);
        advance();
    }

    @Override
    public void onNext(dev.posthorn.v1.Event message) {
        arrived(item(message), message.getSerializedSize());
    }

    private StreamItem item(dev.posthorn.v1.Event message) {
        long number = position++;
        try {
            Event event = mapping.event(message, trace);
            return StreamItem.toRecord(number, message.getEventId(), message.getSerializedSize(), event);
        } catch (ProblemException e) {
            recorder.refused(e.problem());
            return StreamItem.refused(number, message.getEventId(), e.problem());
        }
    }

    private synchronized void arrived(StreamItem item, int size) {
        asked--;
        if (over || failure != null) {
            return;
        }
        if (!memory.take(item.bytes(), bytesInHand)) {
            end(memory.noRoom());
            return;
        }
        waiting.add(item);
        inHand++;
        bytesInHand += item.bytes();
        // Falls slowly, so that one large event among small ones does not hold the stream up for long.
        usualBytes = Math.max(size, usualBytes - usualBytes / MOST_ASKED);
        if (end != null && end.isExpired()) {
            failure = ConnectionAge.reached();
        }
        recordNext();
        askForMore();
    }

    @Override
    public synchronized void onCompleted() {
        halfClosed = true;
        advance();
    }

    @Override
    public void onError(Throwable cancelled) {
        cancel();
    }

    private synchronized void cancel() {
        over = true;
        dropWaiting();
        acks.clear();
    }

    private void dropWaiting() {
        waiting.forEach(item -> memory.giveBack(item.bytes()));
        waiting.clear();
    }

    /** Takes no more, but records and acknowledges what is here before the call ends with this. */
    synchronized void end(Problem reason) {
        if (failure == null) {
            failure = reason;
        }
        advance();
    }

    private synchronized void advance() {
        while (!acks.isEmpty() && client.isReady()) {
            PublishAck ack = acks.remove();
            bytesInHand -= ack.getSerializedSize();
            inHand--;
            client.onNext(ack);
        }
        recordNext();
        finish();
        askForMore();
    }

    private void recordNext() {
        if (!recording && !waiting.isEmpty()) {
            recording = true;
            executor.execute(this::recordBatch);
        }
    }

    private void recordBatch() {
        List<StreamItem> batch = gather();
        recorded(batch, recorder.record(batch));
    }

    private synchronized List<StreamItem> gather() {
        List<StreamItem> batch = new ArrayList<>();
        int bytes = 0;
        while (!waiting.isEmpty() && batch.size() < BATCH_EVENTS && bytes < BATCH_BYTES) {
            StreamItem item = waiting.remove();
            bytes += item.bytes();
            batch.add(item);
        }
        return batch;
    }

    private synchronized void recorded(List<StreamItem> batch, @Nullable Problem problem) {
        recording = false;
        int bytes = batch.stream().mapToInt(StreamItem::bytes).sum();
        bytesInHand -= bytes;
        memory.giveBack(bytes);
        if (over) {
            return;
        }
        for (StreamItem item : batch) {
            PublishAck ack = item.ack();
            if (ack == null) {
                break;
            }
            acks.add(ack);
            bytesInHand += ack.getSerializedSize();
        }
        if (problem != null) {
            failure = problem;
            dropWaiting();
        }
        advance();
    }

    private void finish() {
        if (over || recording || !waiting.isEmpty() || !acks.isEmpty()) {
            return;
        }
        if (failure != null) {
            over = true;
            client.onError(GrpcProblems.status(failure));
        } else if (halfClosed) {
            over = true;
            client.onCompleted();
        }
    }

    /** In handfuls: each request goes through the connection's event loop. */
    private void askForMore() {
        int room = over || failure != null || halfClosed ? 0 : room();
        if (room > 0 && asked <= room / 2) {
            client.request(room - asked);
            asked = room;
        }
    }

    private int room() {
        if (memory.isTight()) {
            return inHand == 0 ? 1 : 0;
        }
        int byBytes = (MOST_BYTES - bytesInHand) / Math.max(1, usualBytes);
        if (inHand == 0) {
            byBytes = Math.max(1, byBytes);
        }
        return Math.min(MOST_ASKED, Math.min(MOST_EVENTS - inHand, byBytes));
    }
}
