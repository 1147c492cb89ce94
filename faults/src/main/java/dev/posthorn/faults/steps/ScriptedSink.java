package dev.posthorn.faults.steps;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Delivers to a script in the same process, which answers at once, or late if the script says so. */
final class ScriptedSink implements Sink {

    private final Script script;
    private final int relay;
    private final boolean keepsOrder;
    private final boolean mayBeSlow;
    private final List<Runnable> late = new ArrayList<>();

    /**
     * @param relay which one uses it: 1, or 2 after the first one's end
     * @param mayBeSlow whether somebody calls {@link #answerLate}
     */
    ScriptedSink(Script script, int relay, boolean keepsOrder, boolean mayBeSlow) {
        this.script = script;
        this.relay = relay;
        this.keepsOrder = keepsOrder;
        this.mayBeSlow = mayBeSlow;
    }

    @Override
    public boolean keepsOrder() {
        return keepsOrder;
    }

    /** Gives the answers that are late. */
    void answerLate() {
        List<Runnable> now = List.copyOf(late);
        late.clear();
        now.forEach(Runnable::run);
    }

    @Override
    public Channel open(String lane, Duration timeout) {
        return new Channel() {

            private boolean broken;

            @Override
            public void send(RecordedEvent event, int attempt, Answer answer) {
                if (broken) {
                    answer.with(new Outcome.Unavailable("behind a failed event"));
                    return;
                }
                UUID id = event.event().id();
                Outcome outcome = script.arrive(id, relay);
                broken = keepsOrder && outcome instanceof Outcome.Failure;
                if (mayBeSlow && script.fate(id) == Script.Fate.SLOW) {
                    late.add(() -> answer.with(outcome));
                } else {
                    answer.with(outcome);
                }
            }

            @Override
            public void close() {}
        };
    }
}
