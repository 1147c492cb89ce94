package dev.posthorn.http;

import dev.posthorn.sink.contract.Receiver;
import dev.posthorn.sink.contract.SinkContract;

class HttpSinkContractTest extends SinkContract {

    @Override
    protected Receiver receiver() {
        return new HttpReceiver();
    }

    /** All sinks share them, and they end by themselves. */
    @Override
    protected boolean mayOutliveChannels(Thread thread) {
        return thread.getName().startsWith("posthorn-http-names-")
                || thread.getName().equals("posthorn-http-timer");
    }
}
