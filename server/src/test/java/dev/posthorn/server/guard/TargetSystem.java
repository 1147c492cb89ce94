package dev.posthorn.server.guard;

import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Request;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A system that acts on every request, as often as it comes. */
final class TargetSystem implements AutoCloseable {

    private final Receiver receiver;

    TargetSystem() {
        this(0);
    }

    /** On a port that is known already. */
    TargetSystem(int port) {
        receiver = Receiver.start(port);
        answers(200);
    }

    void answers(int status) {
        receiver.answering(request -> Receiver.Answer.of(status, "took it as " + receiver.count()));
    }

    /** So many requests with this status, and those that follow with 200: five attempts are soon over. */
    void answersAtFirst(int count, int status) {
        receiver.answering(request -> {
            int now = receiver.count() > count ? 200 : status;
            return Receiver.Answer.of(now, "took it as " + receiver.count());
        });
    }

    /** Takes requests and never answers. */
    void fallsSilent() {
        receiver.answering(request -> {
            new CountDownLatch(1).await();
            return Receiver.Answer.status(500);
        });
    }

    int port() {
        return receiver.port();
    }

    String url() {
        return receiver.url("/book");
    }

    /** The ids of the events on which it acted, one for each time. */
    List<String> acted() {
        return receiver.requests().stream().map(Request::id).toList();
    }

    /** Without a word to those whom it still owes an answer. */
    void goesAway() {
        receiver.close();
    }

    @Override
    public void close() {
        goesAway();
    }
}
