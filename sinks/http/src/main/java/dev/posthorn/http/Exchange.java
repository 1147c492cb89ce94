package dev.posthorn.http;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.http.address.HostResolver;
import dev.posthorn.http.auth.AuthHeader;
import dev.posthorn.http.client.Response;
import dev.posthorn.http.client.Transfer;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpStreamResetException;
import org.apache.hc.core5.http.RequestNotExecutedException;
import org.jspecify.annotations.Nullable;

/**
 * One event on its way: the receiver's address is found, then credentials, then the request is sent and the response
 * read, each when the one before has come about, on whatever thread that was. It is answered once; whatever happens
 * after that, or after it was ended, is of no interest to anybody.
 */
final class Exchange {

    private enum Stage {
        NAME,
        CREDENTIALS,
        REQUEST
    }

    /** Whether the receiver can have got anything. */
    private enum SendState {
        UNSENT,
        RELEASED,
        WITHHELD
    }

    private static final int UNAUTHORIZED = 401;

    /** A restarting receiver closes all connections that were kept; each that fails is one less. */
    private static final int MOST_RESENDS = 2;

    private final SinkParts parts;
    private final RecordedEvent event;
    private final int attempt;
    private final Duration timeout;
    private final Answer answer;
    private final Consumer<Exchange> whenOver;
    private final long begun = System.nanoTime();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicReference<SendState> sendState = new AtomicReference<>(SendState.UNSENT);
    private volatile Stage stage = Stage.NAME;
    private volatile @Nullable Call call;
    private @Nullable AuthHeader shown;
    private boolean shownAnew;
    private int resends;

    /** @param whenOver told once, before the answer */
    Exchange(
            SinkParts parts,
            RecordedEvent event,
            int attempt,
            Duration timeout,
            Answer answer,
            Consumer<Exchange> whenOver) {
        this.parts = parts;
        this.event = event;
        this.attempt = attempt;
        this.timeout = timeout;
        this.answer = answer;
        this.whenOver = whenOver;
    }

    void start() {
        parts.connections().resolve(parts.settings().target(), this::named);
    }

    private void named(HostResolver.Result result) {
        if (result instanceof HostResolver.Unknown unknown) {
            finish(new Outcome.Unavailable(ErrorClass.DNS, unknown.reason()));
        } else if (result instanceof HostResolver.Refused refused) {
            finish(new Outcome.Unavailable(ErrorClass.FORBIDDEN, refused.reason()));
        } else {
            identify();
        }
    }

    private void identify() {
        stage = Stage.CREDENTIALS;
        parts.credentials().header().whenComplete((header, error) -> {
            if (error == null) {
                shown = header;
                send();
            } else {
                finish(parts.failures().of(error, false, null));
            }
        });
    }

    private void send() {
        stage = Stage.REQUEST;
        try {
            Call next = new Call();
            call = next;
            next.begin();
        } catch (RequestWriter.NotJson e) {
            finish(new Outcome.Reject(ErrorClass.SERIALIZATION, e.reason()));
        } catch (RuntimeException bug) {
            finish(new Outcome.Retry(ErrorClass.UNKNOWN, "the request could not be sent: " + bug));
        }
    }

    private void finish(Outcome outcome) {
        Outcome certain = parts.settings().once() ? certain(outcome) : outcome;
        if (over.compareAndSet(false, true)) {
            whenOver.accept(this);
            answer.with(certain);
        }
    }

    /** That it has not left is true only of what is kept from leaving afterwards. */
    private Outcome certain(Outcome outcome) {
        if (!(outcome instanceof Outcome.Failure failure) || outcome.reply() != null) {
            return outcome;
        }
        sendState.compareAndSet(SendState.UNSENT, SendState.WITHHELD);
        if (sendState.get() == SendState.RELEASED) {
            return new Outcome.Retry(failure.errorClass(), failure.reason());
        }
        return failure instanceof Outcome.Retry
                ? new Outcome.Unavailable(failure.errorClass(), failure.reason())
                : failure;
    }

    /**
     * Asked when there is a connection, last before the request is sent. A process that stood still must not send what
     * others believe to be over.
     */
    private boolean maySend() {
        if (!parts.settings().once()) {
            return true;
        }
        return age() < timeout.toNanos()
                && !over.get()
                && sendState.compareAndSet(SendState.UNSENT, SendState.RELEASED);
    }

    /** How many nanoseconds it has been under way. */
    long age() {
        return System.nanoTime() - begun;
    }

    /** Its time is up. */
    void giveUp() {
        Transfer late = transfer();
        finish(tooLate(timeout.toMillis() + " ms", late));
        cut(late);
    }

    private @Nullable Transfer transfer() {
        Call last = call;
        return last == null ? null : last.transfer;
    }

    private Outcome tooLate(String time, @Nullable Transfer late) {
        return switch (stage) {
            case NAME -> new Outcome.Unavailable(ErrorClass.DNS, "the receiver's name was not resolved within " + time);
            case CREDENTIALS -> new Outcome.Unavailable(ErrorClass.AUTH, "there was no token within " + time);
            case REQUEST ->
                late == null || !late.wasSent()
                        ? new Outcome.Unavailable(ErrorClass.TIMEOUT, "no connection within " + time)
                        : new Outcome.Retry(
                                ErrorClass.TIMEOUT,
                                late.isBeingAnswered()
                                        ? "the answer began, but was not complete within " + time
                                        : "no answer within " + time);
        };
    }

    /** Nobody waits for it any more. */
    void end() {
        if (over.compareAndSet(false, true)) {
            whenOver.accept(this);
            cut(transfer());
        }
    }

    private static void cut(@Nullable Transfer running) {
        if (running != null) {
            running.cut();
        }
    }

    /** One request and its response. There may be more: see {@link #isWorthAnother}. */
    private final class Call implements Transfer.Listener {

        private final @Nullable Transfer transfer;

        Call() {
            byte[] body = parts.requests().body(event);
            this.transfer = Transfer.of(
                    parts.connections(),
                    new Transfer.Request(
                            parts.route(),
                            parts.requests().head(event, attempt, body, shown),
                            body,
                            parts.settings().keptBytes(),
                            Exchange.this::maySend),
                    this);
        }

        void begin() {
            if (transfer == null || over.get()) {
                return;
            }
            transfer.begin();
            if (over.get()) {
                // Ended while the request was being handed over.
                transfer.cut();
            }
        }

        @Override
        public void completed(Response result) {
            if (result.status() == UNAUTHORIZED
                    && shown != null
                    && !shownAnew
                    && parts.credentials().refused(shown)
                    && !parts.settings().once()) {
                shownAnew = true;
                identify();
            } else {
                finish(parts.failures().of(result, shown));
            }
        }

        @Override
        public void failed(Exception error) {
            if (resends < MOST_RESENDS && isWorthAnother(error)) {
                resends++;
                send();
            } else {
                finish(parts.failures().of(error, wasSent(), shown));
            }
        }

        /**
         * A connection that was kept may have been closed by the receiver at the very moment the request was sent. That
         * says nothing about the receiver, and an event that failed would wait for its next attempt, and its key with
         * it; so it is sent again at once, over another connection. Not so if an answer came that cannot be read, or
         * the time was up: the receiver would get everything several times.
         */
        private boolean isWorthAnother(Exception error) {
            if (over.get() || parts.settings().once() || transfer == null || transfer.isBeingAnswered()) {
                return false;
            }
            return wasSent() ? brokeWhenUsedAgain(error, transfer) : wasClosedBefore(error);
        }

        private boolean wasSent() {
            return transfer != null && transfer.wasSent();
        }

        private static boolean brokeWhenUsedAgain(Exception error, Transfer broken) {
            return broken.usedAgain()
                    && error instanceof IOException
                    && !(error instanceof InterruptedIOException || error instanceof HttpStreamResetException)
                    && !FailureClassifier.isUnreadable(error);
        }

        /** Unreadable is also what comes unasked: such a connection is closed before a request is sent over it. */
        private static boolean wasClosedBefore(Exception error) {
            return error instanceof ConnectionClosedException
                    || error instanceof RequestNotExecutedException
                    || FailureClassifier.isUnreadable(error);
        }
    }
}
