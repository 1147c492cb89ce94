package dev.posthorn.faults.attacks;

import dev.posthorn.faults.harness.Patience;
import dev.posthorn.faults.harness.ReceivedRequest;
import dev.posthorn.testkit.Listener;
import java.io.IOException;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Looks at an event with many long masked values, which its receiver has nearly repeated again and again. */
final class MaskedReplies implements Attack {

    private static final int CALLERS = 8;
    private static final int VALUES = 95;
    private static final int ANSWER = 65_536;

    private static final String NEARLY_REPEATED = "a".repeat(ANSWER);

    private static final String SUBSCRIPTION = """
            {"sink": {"kind": "http", "url": "http://127.0.0.1:%d/", "keepAnswer": %d}, "filter": {"types": ["masked"]},
             "retry": {"maxAttempts": "unlimited", "delays": ["100ms"]}, "timeout": "500ms"}""";

    private final UUID id = UUID.randomUUID();

    @Override
    public String name() {
        return "masking";
    }

    @Override
    public String sentence() {
        return "8 viewers of an event with 95 masked values of 900 letters, which its receiver nearly repeats in"
                + " every answer";
    }

    @Override
    public void prepare(AttackedHub hub) throws Exception {
        Listener receiver = ReceivedRequest.listen(
                request -> request.answer("500 Internal Server Error\r\nContent-Length: " + ANSWER, NEARLY_REPEATED));
        hub.admin("PUT", "/v1/event-types/masked", "{\"masks\": [\"/values\"]}");
        hub.admin("PUT", "/v1/subscriptions/masked", SUBSCRIPTION.formatted(receiver.port(), ANSWER));
        hub.admin("POST", "/v1/events", ValidPublishers.json(id, "masked", data()));
        Patience.until("an answer is kept", () -> hub.admin("GET", path(), "").contains("\"reply\""));
    }

    @Override
    public void run(Round round) throws IOException, InterruptedException {
        Callers.run(CALLERS, round.hub().viewerKey(), round, viewer -> viewer.get(path()));
        round.hub().admin("DELETE", "/v1/subscriptions/masked", "");
    }

    private String path() {
        return "/v1/events/" + id;
    }

    private static String data() {
        return IntStream.range(0, VALUES)
                .mapToObj(i -> "\"" + "a".repeat(900 + i) + "b\"")
                .collect(Collectors.joining(",", "{\"values\": [", "]}"));
    }
}
