package dev.posthorn.faults.attacks;

import dev.posthorn.faults.attacks.client.RestAnswer;
import java.io.IOException;
import java.util.UUID;

/** Publishes far more than the hub can take. */
final class Flood implements Attack {

    private static final int CALLERS = 400;

    @Override
    public String name() {
        return "flood";
    }

    @Override
    public String sentence() {
        return "400 publishers over REST, each an event after the other without a pause";
    }

    /** Some: they are shed with all the others. */
    @Override
    public double leastServed() {
        return 0;
    }

    @Override
    public void run(Round round) throws IOException, InterruptedException {
        Callers.run(CALLERS, round.hub().publisherKey(), round, caller -> {
            UUID id = UUID.randomUUID();
            RestAnswer answer = caller.call("POST", "/v1/events", ValidPublishers.json(id, "flood", "1"));
            if (answer.isServed()) {
                round.acknowledged().add(id);
            }
            return answer;
        });
    }
}
