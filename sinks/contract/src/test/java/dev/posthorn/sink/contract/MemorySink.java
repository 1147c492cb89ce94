package dev.posthorn.sink.contract;

import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Delivers within the program, with one flaw or none. */
final class MemorySink implements Sink {

    private final MemoryReceiver receiver;
    private final boolean keepsOrder;
    private final @Nullable Flaw flaw;
    private final List<MemoryChannel> channels = new CopyOnWriteArrayList<>();
    private String secret = "";
    private volatile boolean remembersOutage;

    MemorySink(MemoryReceiver receiver, boolean keepsOrder, @Nullable Flaw flaw) {
        this.receiver = receiver;
        this.keepsOrder = keepsOrder;
        this.flaw = flaw;
    }

    MemorySink with(String secret) {
        this.secret = secret;
        return this;
    }

    boolean has(Flaw possible) {
        return flaw == possible;
    }

    MemoryReceiver receiver() {
        return receiver;
    }

    String secret() {
        return secret;
    }

    boolean remembersOutage() {
        return remembersOutage;
    }

    void rememberOutage() {
        remembersOutage = has(Flaw.REMEMBERS_AN_OUTAGE_IN_THE_SINK);
    }

    void closeAll() {
        channels.forEach(MemoryChannel::end);
    }

    @Override
    public boolean keepsOrder() {
        return keepsOrder;
    }

    @Override
    public int concurrency() {
        return keepsOrder ? Integer.MAX_VALUE : 16;
    }

    @Override
    public Channel open(String lane, Duration timeout) {
        MemoryChannel channel = new MemoryChannel(this, lane, timeout);
        channels.add(channel);
        channel.start();
        return channel;
    }

    @Override
    public String toString() {
        return "memory" + (has(Flaw.TELLS_A_SECRET_IN_ITS_NAME) ? " with " + secret : "");
    }
}
