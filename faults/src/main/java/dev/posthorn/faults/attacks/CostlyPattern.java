package dev.posthorn.faults.attacks;

import java.io.IOException;
import java.util.UUID;

/** Publishes texts for which the pattern of their type needs for ever. */
final class CostlyPattern implements Attack {

    private static final int CALLERS = 8;
    private static final String TEXT = "\"" + "a".repeat(300) + "\"";

    @Override
    public String name() {
        return "costly-pattern";
    }

    @Override
    public String sentence() {
        return "8 publishers over REST with events of 300 letters, of a type whose pattern backtracks";
    }

    @Override
    public void prepare(AttackedHub hub) throws IOException {
        hub.admin("PUT", "/v1/event-types/costly", "{\"jsonSchema\": {\"pattern\": \"^a*a*a*a*a*a*a*a*b$\"}}");
    }

    @Override
    public void run(Round round) throws IOException, InterruptedException {
        Callers.run(
                CALLERS,
                round.hub().publisherKey(),
                round,
                caller -> caller.call("POST", "/v1/events", ValidPublishers.json(UUID.randomUUID(), "costly", TEXT)));
    }
}
