package dev.posthorn.server.grpc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.awaitility.Awaitility.await;

import dev.posthorn.v1.Event;
import dev.posthorn.v1.EventHubGrpc;
import dev.posthorn.v1.PublishAck;
import io.grpc.Channel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A client's side of PublishStream, which reads acknowledgements only when it is told to. */
final class StreamClient implements ClientResponseObserver<Event, PublishAck> {

    private final List<PublishAck> acks = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch ended = new CountDownLatch(1);
    private ClientCallStreamObserver<Event> call;
    private volatile Throwable error;

    private StreamClient() {}

    static StreamClient open(Channel channel) {
        StreamClient client = new StreamClient();
        EventHubGrpc.newStub(channel).publishStream(client);
        return client;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<Event> started) {
        call = started;
        started.disableAutoRequestWithInitial(0);
    }

    /** Sends whether or not there is room for it on the way. */
    StreamClient send(Event event) {
        call.onNext(event);
        return this;
    }

    StreamClient halfClose() {
        call.onCompleted();
        return this;
    }

    StreamClient cancel() {
        call.cancel("enough", null);
        return this;
    }

    /** Reads so many acknowledgements more. */
    StreamClient read(int count) {
        call.request(count);
        return this;
    }

    List<PublishAck> acks() {
        return acks;
    }

    List<PublishAck> awaitAcks(int count) {
        await().atMost(120, SECONDS).until(() -> acks.size() >= count || ended.getCount() == 0);
        return acks;
    }

    /** All acknowledgements once the stream has ended. */
    List<PublishAck> awaitEnd() throws InterruptedException {
        if (!ended.await(300, SECONDS)) {
            throw new AssertionError("the stream goes on; acknowledged: " + acks.size());
        }
        return acks;
    }

    /** How it ended; null if it was completed. */
    Throwable error() {
        return error;
    }

    @Override
    public void onNext(PublishAck ack) {
        acks.add(ack);
    }

    @Override
    public void onError(Throwable cause) {
        error = cause;
        ended.countDown();
    }

    @Override
    public void onCompleted() {
        ended.countDown();
    }
}
