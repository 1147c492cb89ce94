package dev.posthorn.relay;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Who tells the lanes of a relay that there is something to do: the names of the threads. */
public final class Signals {

    private final List<String> threads = new CopyOnWriteArrayList<>();

    private Signals() {}

    /** From now on. The lanes are stepped all the same, since their worker never sleeps for long. */
    public static Signals of(Relay relay) {
        Signals signals = new Signals();
        relay.liveLanes()
                .forEach(lane -> lane.onSignal(
                        () -> signals.threads.add(Thread.currentThread().getName())));
        return signals;
    }

    public void clear() {
        threads.clear();
    }

    /** Those that are none of the relay's own, and no sink's. */
    public List<String> fromOutside() {
        return threads.stream().filter(name -> !name.startsWith("posthorn-")).toList();
    }
}
