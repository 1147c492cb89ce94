package dev.posthorn.server.guard;

import dev.posthorn.http.Destinations;
import dev.posthorn.http.HttpSink;
import dev.posthorn.server.documents.RequiredFields;
import dev.posthorn.server.subscriptions.sinks.AuthDocument;
import dev.posthorn.server.subscriptions.sinks.CheckedBuilder;
import dev.posthorn.server.subscriptions.sinks.HttpDocument;
import dev.posthorn.server.subscriptions.sinks.TlsDocument;
import dev.posthorn.server.web.Parameters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A guard as it is asked for: the system that it stands in front of.
 *
 * @param url where events are forwarded to; http or https. Its query is treated as a secret
 * @param secretUrl whether its path is one too
 * @param form how an event is put into a request; left out: binary
 * @param auth how the target is shown who is sending; left out: not at all
 * @param headers of every request; their values are treated as secrets
 * @param tls whom to trust, and what to show
 * @param timeout how long the target may take to answer, up to 1m; left out: 10s
 * @param repeatOn statuses by which the target says that it did nothing, so that the event may be forwarded again; left
 *     out: 429 and 503
 */
public record TargetDocument(
        @Nullable String url,
        @Nullable Boolean secretUrl,
        HttpDocument.@Nullable RequestForm form,
        @Nullable AuthDocument auth,
        @Nullable Map<String, String> headers,
        @Nullable TlsDocument tls,
        @Nullable Duration timeout,
        @Nullable List<Integer> repeatOn)
        implements RequiredFields {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final Set<Integer> DEFAULT_REPEAT_ON = Set.of(429, 503);
    private static final int KEPT_BYTES = 4096;

    /** The way there; a field that cannot be used is a problem that names it. */
    HttpSink sink(Destinations destinations) {
        return CheckedBuilder.whole(asSink()).buildOnce(destinations);
    }

    private HttpDocument asSink() {
        return new HttpDocument(
                url, secretUrl, form, auth, null, headers, tls, null, GuardSink.CONCURRENCY, null, KEPT_BYTES);
    }

    @Override
    public Stream<String> missing() {
        return asSink().missing().map(field -> field.substring("sink.".length()));
    }

    Duration checkedTimeout() {
        Duration asked = timeout == null ? DEFAULT_TIMEOUT : timeout;
        if (asked.compareTo(SHORTEST) < 0 || asked.compareTo(LONGEST) > 0) {
            throw Parameters.refused("timeout", "must be from 100ms to 1m");
        }
        return asked;
    }

    Set<Integer> checkedRepeatOn() {
        if (repeatOn == null) {
            return DEFAULT_REPEAT_ON;
        }
        for (int i = 0; i < repeatOn.size(); i++) {
            int status = repeatOn.get(i);
            if (status < 300 || status > 599) {
                throw Parameters.refused(
                        "repeatOn[" + i + "]", "is " + status + "; it must be a status from 300 to 599");
            }
        }
        return Set.copyOf(repeatOn);
    }
}
