package dev.posthorn.faults.attacks;

import dev.posthorn.testkit.Listener;
import java.io.IOException;
import java.util.UUID;

/** Calls a guard whose target does not answer. */
final class HangingGuard implements Attack {

    /** More than the hub works on at a time. */
    private static final int CALLERS = 205;

    @Override
    public String name() {
        return "hanging-guard";
    }

    @Override
    public String sentence() {
        return "205 calls at a time of a guard whose target takes everything and never answers";
    }

    /** The target stays: what was forwarded hangs for longer than the attack lasts. */
    @Override
    public void prepare(AttackedHub hub) throws IOException {
        Listener target = Listener.start(socket -> socket.getInputStream().readAllBytes());
        hub.admin("PUT", "/v1/guards/hanging", "{\"url\": \"http://127.0.0.1:%d/\"}".formatted(target.port()));
    }

    @Override
    public void run(Round round) throws IOException, InterruptedException {
        Callers.run(
                CALLERS,
                round.hub().publisherKey(),
                round,
                caller -> caller.call(
                        "POST", "/v1/guard/hanging", ValidPublishers.json(UUID.randomUUID(), "guarded", "1")));
    }
}
