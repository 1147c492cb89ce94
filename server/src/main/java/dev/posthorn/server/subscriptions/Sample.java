package dev.posthorn.server.subscriptions;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What to send to try a subscription out; all of it may be left out.
 *
 * @param type the event's type; left out: posthorn.test
 * @param data the event's payload, any JSON; left out: {"test": true}
 * @param headers more headers of the event
 */
public record Sample(
        @Nullable String type,
        @Nullable JsonNode data,
        @Nullable Map<String, String> headers) {

    static final Sample DEFAULT = new Sample(null, null, null);
}
