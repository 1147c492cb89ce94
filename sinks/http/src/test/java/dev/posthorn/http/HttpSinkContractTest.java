package dev.posthorn.http;

import dev.posthorn.sink.contract.Receiver;
import dev.posthorn.sink.contract.SinkContract;
import java.time.Duration;

class HttpSinkContractTest extends SinkContract {

    @Override
    protected Receiver receiver() {
        return new HttpReceiver();
    }

    /** Only silence takes that long, and within it a connection has to come about also on a busy machine. */
    @Override
    protected Duration timeout() {
        return Duration.ofSeconds(10);
    }

    /** All sinks share them, and they end by themselves. */
    @Override
    protected boolean mayOutliveChannels(Thread thread) {
        return thread.getName().startsWith("posthorn-http-names-")
                || thread.getName().startsWith("posthorn-http-io-")
                || thread.getName().equals("posthorn-http-timer");
    }
}
