package dev.posthorn.sink.contract;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The suite for a sink with one flaw or none. Run by {@link SinkContractTest}, never by itself. */
class MemorySinkContract extends SinkContract {

    private record Subject(boolean keepsOrder, @Nullable Flaw flaw) {}

    private static final ThreadLocal<Subject> SUBJECT = new ThreadLocal<>();

    /** What the next run in this thread is about. */
    static void prepare(boolean keepsOrder, @Nullable Flaw flaw) {
        SUBJECT.set(new Subject(keepsOrder, flaw));
    }

    /** Kept, as the suite has other threads too. */
    private final Subject subject = SUBJECT.get();

    @Override
    protected Receiver receiver() {
        return new MemoryReceiver(receiver -> new MemorySink(receiver, subject.keepsOrder(), subject.flaw()));
    }

    @Override
    protected Duration timeout() {
        return Duration.ofMillis(300);
    }

    /** Who waits for an answer of a flawed one may wait for ever. */
    @Override
    protected Duration patience() {
        return subject.flaw() == null ? super.patience() : Duration.ofSeconds(3);
    }
}
