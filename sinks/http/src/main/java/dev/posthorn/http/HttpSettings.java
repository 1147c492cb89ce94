package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.error.PosthornException;
import dev.posthorn.http.address.AddressPolicy;
import dev.posthorn.http.address.Target;
import dev.posthorn.http.client.ClientSettings;
import dev.posthorn.http.text.HeaderRules;
import dev.posthorn.http.text.Setting;
import dev.posthorn.webhook.Signature;
import java.net.URLDecoder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A sink's settings, checked. */
record HttpSettings(
        Target target,
        boolean secretUrl,
        @Nullable Target proxy,
        Form form,
        @Nullable Signature signature,
        Authentication authentication,
        Map<String, String> headers,
        Tls tls,
        Destinations destinations,
        Set<Integer> retried,
        int concurrency,
        int keptBytes,
        Duration idle,
        boolean once) {

    private static final int SHORTEST_SECRET = 8;

    HttpSettings {
        headers = Map.copyOf(headers);
        retried = Set.copyOf(retried);
        headers.forEach((name, value) -> {
            HeaderRules.requireFree(name);
            HeaderRules.requireLegalValue(name, value);
        });
        Setting.require(
                retried.stream().allMatch(status -> status >= 300 && status < 500),
                "retry-on holds " + retried + "; it may hold statuses from 300 to 499, and 5xx are tried again anyhow");
        Setting.require(
                concurrency >= 1 && concurrency <= 10_000,
                "concurrency is " + concurrency + "; it must be from 1 to 10,000");
        Setting.require(
                keptBytes >= 0 && keptBytes <= 1 << 16,
                "keep-answer is " + keptBytes + " bytes; it must be from 0 to 65,536");
        AddressPolicy policy = destinations.policy();
        policy.requireAllowed(target);
        if (proxy != null) {
            policy.requireAllowed(proxy);
        }
        Target tokens = authentication.tokenUrl();
        if (tokens != null) {
            policy.requireAllowed(tokens);
        }
    }

    /** The newest secret first; two during a rotation, otherwise one. */
    static Signature signature(List<String> secrets) {
        Setting.require(
                secrets.size() == 1 || secrets.size() == 2,
                "there are " + secrets.size() + " webhook secrets; give one, or two during a rotation");
        try {
            return Signature.of(secrets);
        } catch (PosthornException e) {
            throw Setting.refused(Objects.requireNonNull(e.getMessage()));
        }
    }

    /** What an answer must not be quoted with; short values would only make it unreadable. */
    List<String> secrets() {
        return Stream.of(headers.values().stream(), parts(target.query(), "[&=]"), secretPath())
                .flatMap(each -> each)
                .filter(value -> value.length() >= SHORTEST_SECRET)
                .toList();
    }

    private Stream<String> secretPath() {
        String path = target.pathAndQuery().split("\\?", 2)[0];
        return secretUrl ? parts(path, "/") : Stream.of();
    }

    /** The text, its parts, and both as they were before they were written into a URL. */
    private static Stream<String> parts(String text, String separator) {
        return Stream.concat(Stream.of(text), Stream.of(text.split(separator)))
                .flatMap(each -> Stream.of(each, decoded(each)))
                .distinct();
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    /** The receiver as a log may name it. */
    String receiver() {
        return secretUrl ? target.origin() : target.toString();
    }

    ClientSettings client() {
        return new ClientSettings(proxy, tls.context(), concurrency, idle, once);
    }
}
