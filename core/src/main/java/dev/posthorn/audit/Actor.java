package dev.posthorn.audit;

import dev.posthorn.error.Requests;
import org.jspecify.annotations.Nullable;

/**
 * Who asks for something.
 *
 * @param name a person, or the key of a program
 * @param requestId what the request is known by elsewhere, if it came over a network
 */
public record Actor(String name, @Nullable String requestId) {

    public Actor {
        Requests.required("requestedBy", name, Requests.MAX_NAME, "say who asks for it");
        Requests.optional("requestId", requestId, Requests.MAX_NAME);
    }

    public static Actor named(String name) {
        return new Actor(name, null);
    }
}
