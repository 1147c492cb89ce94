package dev.posthorn.server.subscriptions;

import dev.posthorn.audit.Act;
import dev.posthorn.event.Event;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is done to a subscription, for the audit.
 *
 * @param detail besides its revision
 */
record SubscriptionAct(String verb, String name, Map<String, String> detail) {

    static SubscriptionAct create(String name, String document) {
        return new SubscriptionAct("create", name, Map.of("document", document));
    }

    /**
     * What it is from now on.
     *
     * @param document without its secrets
     */
    static SubscriptionAct change(String name, String document, List<String> changed) {
        return new SubscriptionAct("change", name, Map.of("document", document, "changed", String.join(", ", changed)));
    }

    static SubscriptionAct delete(String name) {
        return new SubscriptionAct("delete", name, Map.of());
    }

    static SubscriptionAct pause(String name) {
        return new SubscriptionAct("pause", name, Map.of());
    }

    static SubscriptionAct resume(String name) {
        return new SubscriptionAct("resume", name, Map.of());
    }

    /**
     * What is about to be sent.
     *
     * @param headers as JSON
     * @param data with its masked values replaced
     */
    static SubscriptionAct test(String name, Event sample, String headers, String data) {
        return new SubscriptionAct(
                "test",
                name,
                Map.of("event", sample.id().toString(), "type", sample.type(), "headers", headers, "data", data));
    }

    /** What came of it. */
    static SubscriptionAct tested(String name, Event sample, TrialAnswer answer) {
        Map<String, String> detail = new LinkedHashMap<>();
        detail.put("event", sample.id().toString());
        detail.put("outcome", answer.outcome());
        if (answer.status() != null) {
            detail.put("status", answer.status().toString());
        }
        if (answer.reason() != null) {
            detail.put("reason", answer.reason());
        }
        return new SubscriptionAct("tested", name, detail);
    }

    Act at(long revision) {
        Map<String, String> whole = new LinkedHashMap<>(detail);
        whole.put("revision", Long.toString(revision));
        return Act.of("subscription." + verb, "subscription/" + name, whole);
    }
}
