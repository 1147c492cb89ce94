package dev.posthorn.http;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.http.auth.AuthHeader;
import dev.posthorn.http.text.HeaderRules;
import dev.posthorn.http.text.HeaderText;
import dev.posthorn.webhook.Signature;
import java.io.Serial;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.Method;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.jspecify.annotations.Nullable;

/** Makes an event a request. */
final class RequestWriter {

    /** What an event's own headers cannot say: it belongs to the connection, to Posthorn, or to the subscription. */
    private static final Set<String> NOT_THE_EVENTS =
            Set.of("authorization", "cookie", "forwarded", "origin", "referer", "via");

    private static final String STRUCTURED = "application/cloudevents+json; charset=utf-8";

    private final HttpHost host;
    private final HttpSettings settings;
    private final InstantSource clock;

    RequestWriter(HttpSettings settings, InstantSource clock) {
        this.host = settings.target().httpHost();
        this.settings = settings;
        this.clock = clock;
    }

    /** The payload says that it is JSON, and is not. */
    static final class NotJson extends RuntimeException {

        @Serial
        private static final long serialVersionUID = 1;

        private final String reason;

        NotJson(String reason) {
            super(reason);
            this.reason = reason;
        }

        String reason() {
            return reason;
        }
    }

    byte[] body(RecordedEvent event) {
        if (settings.form() != Form.STRUCTURED) {
            return event.event().payload();
        }
        try {
            return CloudEventWriter.json(event);
        } catch (IllegalArgumentException e) {
            throw new NotJson("the content type is " + event.event().contentType() + ", but the payload is not JSON: "
                    + e.getMessage());
        }
    }

    BasicHttpRequest head(RecordedEvent recorded, int attempt, byte[] body, @Nullable AuthHeader credentials) {
        Event event = recorded.event();
        BasicHttpRequest request =
                new BasicHttpRequest(Method.POST, host, settings.target().pathAndQuery());
        addOwn(request, event.headers());
        settings.headers().forEach(request::setHeader);
        if (settings.form() == Form.BINARY) {
            CloudEventWriter.attributes(
                    recorded, (name, value) -> request.addHeader("ce-".concat(name), HeaderText.attribute(value)));
        }
        request.addHeader("content-type", settings.form() == Form.STRUCTURED ? STRUCTURED : event.contentType());
        sign(request, event.id().toString(), body);
        request.addHeader("posthorn-attempt", Integer.toString(attempt));
        recorded.marks().forEach(request::setHeader);
        if (credentials != null) {
            request.setHeader(credentials.name(), credentials.value());
        }
        return request;
    }

    private void sign(HttpRequest request, String id, byte[] body) {
        Instant now = clock.instant();
        request.addHeader("webhook-id", id);
        request.addHeader("webhook-timestamp", Long.toString(now.getEpochSecond()));
        Signature signature = settings.signature();
        if (signature != null) {
            request.addHeader("webhook-signature", signature.of(id, now.getEpochSecond(), body));
        }
    }

    private static void addOwn(HttpRequest request, Map<String, String> own) {
        own.forEach((name, value) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            if (HeaderRules.isTrace(lower)
                    || (HeaderRules.isFree(lower)
                            && !NOT_THE_EVENTS.contains(lower)
                            && !lower.startsWith("x-forwarded-"))) {
                request.setHeader(name, HeaderText.value(value));
            }
        });
    }
}
