package dev.posthorn.server.subscriptions;

import dev.posthorn.event.Event;
import dev.posthorn.server.documents.DocumentAct;
import dev.posthorn.server.documents.DocumentKind;
import dev.posthorn.server.json.Durations;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** What is done to subscriptions beside what is done to all documents, for the audit. */
final class SubscriptionActs {

    private SubscriptionActs() {}

    /**
     * It signs by a new secret.
     *
     * @param grace for how long by the former one too
     */
    static DocumentAct rotateSecret(String name, String document, Duration grace) {
        return act("rotate-secret", name, Map.of("document", document, "grace", Durations.print(grace)));
    }

    /** The time of the former secret is up. */
    static DocumentAct dropSecret(String name, String document) {
        return act("drop-secret", name, Map.of("document", document));
    }

    static DocumentAct pause(String name) {
        return act("pause", name, Map.of());
    }

    static DocumentAct resume(String name) {
        return act("resume", name, Map.of());
    }

    /**
     * What is about to be sent.
     *
     * @param headers as JSON
     * @param data with its masked values replaced
     */
    static DocumentAct test(String name, Event sample, String headers, String data) {
        return act(
                "test",
                name,
                Map.of("event", sample.id().toString(), "type", sample.type(), "headers", headers, "data", data));
    }

    /** What came of it. */
    static DocumentAct tested(String name, Event sample, TrialAnswer answer) {
        Map<String, String> detail = new LinkedHashMap<>();
        detail.put("event", sample.id().toString());
        detail.put("outcome", answer.outcome());
        if (answer.status() != null) {
            detail.put("status", answer.status().toString());
        }
        if (answer.reason() != null) {
            detail.put("reason", answer.reason());
        }
        return act("tested", name, detail);
    }

    private static DocumentAct act(String verb, String name, Map<String, String> detail) {
        return new DocumentAct(DocumentKind.SUBSCRIPTION, verb, name, detail);
    }
}
