package dev.posthorn.server.subscriptions.sinks;

import dev.posthorn.http.Destinations;
import dev.posthorn.http.Form;
import dev.posthorn.http.HttpSink;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.sink.Sink;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Events are posted to a URL.
 *
 * @param url where to; http or https. Its query is treated as a secret
 * @param secretUrl whether its path is one too
 * @param form how an event is put into a request; left out: binary
 * @param auth how the receiver is shown who is sending; left out: not at all
 * @param signingSecrets whsec_… secrets by which requests are signed: one, or two during a rotation
 * @param headers of every request; their values are treated as secrets
 * @param tls whom to trust, and what to show
 * @param proxy http://host:port to send through
 * @param concurrency how many requests an instance has under way at a time; left out: 64
 * @param retryOn statuses from 300 to 499 after which an event is tried again
 * @param keepAnswer how many bytes of an answer are kept; left out: 4096
 */
public record HttpDocument(
        @Nullable String url,
        @Nullable Boolean secretUrl,
        @Nullable RequestForm form,
        @Nullable AuthDocument auth,
        @Nullable List<String> signingSecrets,
        @Nullable Map<String, String> headers,
        @Nullable TlsDocument tls,
        @Nullable String proxy,
        @Nullable Integer concurrency,
        @Nullable List<Integer> retryOn,
        @Nullable Integer keepAnswer)
        implements SinkDocument {

    /** How an event is put into a request. */
    public enum RequestForm {
        BINARY,
        STRUCTURED,
        PLAIN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Override
    public Stream<String> missing() {
        return Stream.of(
                        CheckedBuilder.missing("url", url),
                        auth == null ? Stream.<String>of() : auth.missing().map("auth."::concat),
                        tls == null ? Stream.<String>of() : tls.missing().map("tls."::concat))
                .flatMap(all -> all)
                .map("sink."::concat);
    }

    @Override
    public HttpSink build(SinkContext context) {
        return build(HttpSink.builder(Objects.requireNonNull(url)).destinations(context.destinations()));
    }

    /** One that sends nothing again by itself. */
    public HttpSink buildOnce(Destinations destinations) {
        return build(HttpSink.builder(Objects.requireNonNull(url))
                .destinations(destinations)
                .once());
    }

    private HttpSink build(HttpSink.Builder builder) {
        CheckedBuilder<HttpSink.Builder, HttpSink> assembly = CheckedBuilder.of(
                        "sink.url", builder, HttpSink.Builder::build)
                .add("sink.secretUrl", secretUrl, HttpSink.Builder::secretUrl)
                .add("sink.form", form, (b, value) -> b.form(Form.valueOf(value.name())))
                .add("sink.auth", auth, (b, value) -> b.authentication(value.authentication()))
                .add("sink.signingSecrets", signingSecrets, (b, value) -> b.signedWith(value.toArray(String[]::new)))
                .add("sink.tls", tls, (b, value) -> b.tls(value.build()))
                .add("sink.proxy", proxy, HttpSink.Builder::proxy)
                .add("sink.concurrency", concurrency, HttpSink.Builder::concurrency)
                .add(
                        "sink.retryOn",
                        retryOn,
                        (b, value) -> b.retryOn(
                                value.stream().mapToInt(Integer::intValue).toArray()))
                .add("sink.keepAnswer", keepAnswer, HttpSink.Builder::keepAnswer);
        if (headers != null) {
            headers.forEach(
                    (name, value) -> assembly.add("sink.headers." + name, value, (b, text) -> b.header(name, text)));
        }
        return assembly.build();
    }

    @Override
    public Optional<Violation> refusal(Sink built, SinkContext context) {
        return built instanceof HttpSink http
                ? refusal(http, proxy == null ? "sink.url" : "sink.proxy")
                : Optional.empty();
    }

    /** A name may lead to an address that the URL does not show. */
    public static Optional<Violation> refusal(HttpSink built, String field) {
        return built.refusal()
                .map(reason -> Violation.of(
                        field,
                        "must not be sent to: " + reason
                                + "; give a public address, or allow this one in posthorn.destinations"));
    }

    @Override
    public String toString() {
        return "HTTP";
    }
}
