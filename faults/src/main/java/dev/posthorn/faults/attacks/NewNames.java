package dev.posthorn.faults.attacks;

import dev.posthorn.faults.attacks.client.RestAnswer;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Publishes every event under a type and a source that nobody has used before. */
final class NewNames implements Attack {

    private static final int CALLERS = 4;
    private static final int BATCH = 1_000;

    @Override
    public String name() {
        return "names";
    }

    @Override
    public String sentence() {
        return "4 publishers over REST with batches of 1,000 events, each of a new type and source";
    }

    @Override
    public void run(Round round) throws IOException, InterruptedException {
        Callers.run(CALLERS, round.hub().publisherKey(), round, caller -> {
            List<UUID> ids = Stream.generate(UUID::randomUUID).limit(BATCH).toList();
            RestAnswer answer = caller.call(
                    "POST",
                    "/v1/events",
                    ids.stream()
                            .map(id -> ValidPublishers.json(id, "name-" + id, "1"))
                            .collect(Collectors.joining(",", "[", "]")));
            if (answer.isServed()) {
                ids.forEach(round.acknowledged()::add);
            }
            return answer;
        });
    }
}
