package dev.posthorn.sink.contract;

import dev.posthorn.event.Event;
import dev.posthorn.sink.Sink;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Takes events within the program. */
final class MemoryReceiver implements Receiver {

    enum Reaction {
        TAKES,
        REFUSES,
        IS_SILENT,
        IS_AWAY,
        IS_GONE
    }

    private static final String REFUSED = "order.refused";

    private final Function<MemoryReceiver, MemorySink> sinks;
    private final List<Event> arrived = new ArrayList<>();
    private Reaction mood = Reaction.TAKES;

    MemoryReceiver(Function<MemoryReceiver, MemorySink> sinks) {
        this.sinks = sinks;
    }

    synchronized Reaction take(Event event) {
        if (mood == Reaction.TAKES && event.type().equals(REFUSED)) {
            return Reaction.REFUSES;
        }
        if (mood == Reaction.TAKES) {
            arrived.add(event);
        }
        return mood;
    }

    synchronized Reaction mood() {
        return mood;
    }

    private synchronized void become(Reaction now) {
        mood = now;
    }

    @Override
    public Sink sink() {
        return sinks.apply(this);
    }

    @Override
    public Optional<Sink> sinkToNowhere(String secret) {
        MemoryReceiver nobody = new MemoryReceiver(sinks);
        nobody.leave();
        return Optional.of(sinks.apply(nobody).with(secret));
    }

    @Override
    public Optional<Event> refusedEvent(String key) {
        return Optional.of(Event.builder()
                .source("shop")
                .type(REFUSED)
                .key(key)
                .payload(new byte[0])
                .build());
    }

    @Override
    public synchronized List<Event> arrived() {
        return List.copyOf(arrived);
    }

    @Override
    public void leave() {
        become(Reaction.IS_AWAY);
    }

    @Override
    public void fallSilent() {
        become(Reaction.IS_SILENT);
    }

    @Override
    public void comeBack() {
        become(Reaction.TAKES);
    }

    @Override
    public void close() {
        become(Reaction.IS_GONE);
    }
}
