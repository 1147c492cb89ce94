package dev.posthorn.server.documents;

import dev.posthorn.server.database.Changes;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.secrets.LockedException;

/** The kinds of documents, and what they are called. */
public enum DocumentKind {
    SUBSCRIPTION("subscription", "subscriptions", "hub_subscription", Changes.Topic.SUBSCRIPTIONS),
    GUARD("guard", "guards", "guard", Changes.Topic.GUARDS),
    EVENT_TYPE("event-type", "event-types", "event_type", Changes.Topic.EVENT_TYPES);

    private final String noun;
    private final String collection;
    private final String table;
    private final Changes.Topic topic;

    DocumentKind(String noun, String collection, String table, Changes.Topic topic) {
        this.noun = noun;
        this.collection = collection;
        this.table = table;
        this.topic = topic;
    }

    /** As the audit calls it. */
    String noun() {
        return noun;
    }

    /** For people. */
    String title() {
        return noun.replace('-', ' ');
    }

    String table() {
        return "posthorn." + table;
    }

    Changes.Topic topic() {
        return topic;
    }

    /** To whom its secrets belong: a guard has others than the subscription of the same name. */
    String owner(String name) {
        return this == SUBSCRIPTION ? name : noun + "/" + name;
    }

    /** Whether the document is that of a sink, rather than has one. */
    boolean isSink() {
        return this == GUARD;
    }

    /** Why the secrets of one cannot be read, and what to do. */
    public String reason(LockedException locked) {
        return locked.reason().replace("PUT the subscription", "PUT the " + title());
    }

    public ProblemException notFound(String name) {
        return Problem.of(
                        ProblemType.NOT_FOUND,
                        "there is no " + title() + " '" + name + "'; GET /v1/" + collection + " lists them")
                .asException();
    }
}
