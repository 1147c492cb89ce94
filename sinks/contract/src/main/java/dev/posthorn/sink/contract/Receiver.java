package dev.posthorn.sink.contract;

import dev.posthorn.event.Event;
import dev.posthorn.sink.Sink;
import java.util.List;
import java.util.Optional;

/**
 * A real receiver for the sink under test, of which the suite decides how it behaves. It is running when the suite gets
 * it, and nothing has arrived. A {@link Gate} in front of it does the leaving and coming back of anything that is reached
 * by TCP.
 */
public interface Receiver extends AutoCloseable {

    /** A new sink that delivers here, with all of its settings left out that can be. */
    Sink sink();

    /**
     * A sink with this secret among its settings, and an address where nobody listens. Empty if it knows no secrets.
     */
    Optional<Sink> sinkToNowhere(String secret);

    /** An event of this key that is refused for good as soon as it comes. Empty if nothing is ever refused. */
    Optional<Event> refusedEvent(String key);

    /**
     * What has arrived until now, repetitions included, the events of a key in the order in which they came. Each is put
     * together from nothing but what came, by Posthorn's names: its time is {@link Event#occurredAt()}, and there may be
     * more headers than the event had, in any case of letters. What the protocol made of texts is undone.
     */
    List<Event> arrived();

    /** From now on nobody listens; connections are cut. */
    void leave();

    /** From now on connections are taken, and stay, but nothing is answered. What comes meanwhile is lost. */
    void fallSilent();

    /** Takes events again, over new connections. */
    void comeBack();

    /** Called after each test, in whatever state it left the receiver. */
    @Override
    void close();
}
