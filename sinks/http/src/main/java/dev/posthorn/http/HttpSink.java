package dev.posthorn.http;

import dev.posthorn.http.address.AddressPolicy;
import dev.posthorn.http.address.HostResolver;
import dev.posthorn.http.address.Target;
import dev.posthorn.http.client.Connections;
import dev.posthorn.http.client.Reactor;
import dev.posthorn.http.client.TokenClient;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Sink;
import dev.posthorn.webhook.Signature;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Delivers events to an HTTP receiver, each with a POST request of its own, as CloudEvents that are signed by the rules
 * of Standard Webhooks. It sends to public addresses only, unless told otherwise.
 *
 * <p>Of one key a lane sends one event at a time. A request that was given up, or whose relay lost its lane, may still
 * be worked on by the receiver while the next one comes: the event's id is in {@code webhook-id}, and an inbox makes the
 * repetition harmless.
 */
public final class HttpSink implements Sink {

    private static final Duration LONGEST_IDLE = Duration.ofSeconds(30);

    private final HttpSettings settings;
    private final SinkParts parts;

    private HttpSink(HttpSettings settings, HostResolver hosts, InstantSource clock, Reactor reactor) {
        this.settings = settings;
        Connections connections = new Connections(settings.client(), hosts, reactor);
        this.parts = new SinkParts(
                settings,
                settings.authentication().credentials(clock, new TokenClient(connections)),
                new RequestWriter(settings, clock),
                new FailureClassifier(settings.retried(), settings.secrets(), clock),
                connections,
                connections.route(settings.target()));
    }

    /** A sink that posts to this URL. */
    public static Builder builder(String url) {
        return new Builder(url);
    }

    /** A new secret for {@link Builder#signedWith}, known to nobody yet. */
    public static String newSecret() {
        return Signature.newSecret();
    }

    @Override
    public boolean keepsOrder() {
        return false;
    }

    @Override
    public int concurrency() {
        return settings.concurrency();
    }

    @Override
    public Channel open(String lane, Duration timeout) {
        return new HttpChannel(parts, timeout);
    }

    /**
     * Why nothing may be sent there, as the name of the receiver, or of the proxy, resolves at present. Empty if nothing speaks against it, or
     * if it cannot be resolved now: it is looked at again at every connect. Waits for the lookup, ten seconds at most.
     */
    public Optional<String> refusal() {
        CompletableFuture<HostResolver.Result> result = new CompletableFuture<>();
        parts.connections().resolve(settings.target(), result::complete);
        HostResolver.Result known = result.completeOnTimeout(
                        new HostResolver.Unknown("not resolved in time"), 10, TimeUnit.SECONDS)
                .join();
        return known instanceof HostResolver.Refused refused ? Optional.of(refused.reason()) : Optional.empty();
    }

    @Override
    public String toString() {
        return "HTTP to " + settings.receiver() + ", " + settings.authentication();
    }

    /** A sink's settings; all but the URL have defaults. {@link #build()} checks them. */
    public static final class Builder {

        private final String url;
        private boolean secretUrl;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private final Set<Integer> retried = new TreeSet<>();
        private Form form = Form.BINARY;
        private List<String> secrets = List.of();
        private Authentication authentication = Authentication.none();
        private Tls tls = Tls.DEFAULT;
        private Destinations destinations = Destinations.PUBLIC;
        private @Nullable String proxy;
        private int concurrency = 64;
        private int keptBytes = 4096;
        private boolean once;
        private InstantSource clock = InstantSource.system();
        private HostResolver.@Nullable Lookup lookup;
        private Duration idle = LONGEST_IDLE;
        private Reactor reactor = Reactor.SHARED;

        private Builder(String url) {
            this.url = Objects.requireNonNull(url, "url");
        }

        /** Whether the URL's path is a secret; its query always is. No answer is quoted with it. Left out: it is not. */
        public Builder secretUrl(boolean secret) {
            this.secretUrl = secret;
            return this;
        }

        public Builder form(Form form) {
            this.form = Objects.requireNonNull(form, "form");
            return this;
        }

        /**
         * Signs requests with these {@code whsec_…} secrets: one, or during a rotation the new one and then the old one.
         * Left out: no signature.
         */
        public Builder signedWith(String... secrets) {
            this.secrets = List.of(secrets);
            return this;
        }

        public Builder authentication(Authentication authentication) {
            this.authentication = Objects.requireNonNull(authentication, "authentication");
            return this;
        }

        public Builder tls(Tls tls) {
            this.tls = Objects.requireNonNull(tls, "tls");
            return this;
        }

        /** A header of every request. */
        public Builder header(String name, String value) {
            headers.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
            return this;
        }

        /** Where it may send. Left out: to public addresses. */
        public Builder destinations(Destinations destinations) {
            this.destinations = Objects.requireNonNull(destinations, "destinations");
            return this;
        }

        /**
         * Sends through this proxy ({@code http://host:port}), which is held to the same rules and ports as a receiver.
         * Names are then resolved by the proxy, so that it has to see to it where they lead; only addresses in the URL
         * itself are still refused here.
         */
        public Builder proxy(String url) {
            this.proxy = Objects.requireNonNull(url, "url");
            return this;
        }

        /** How many requests an instance has under way at a time. Left out: 64. */
        public Builder concurrency(int requests) {
            this.concurrency = requests;
            return this;
        }

        /** Statuses from 300 to 499 after which an event is tried again instead of being rejected. */
        public Builder retryOn(int... statuses) {
            Arrays.stream(statuses).forEach(retried::add);
            return this;
        }

        /** How many bytes of an answer are kept with the attempt. Left out: 4096. */
        public Builder keepAnswer(int bytes) {
            this.keptBytes = bytes;
            return this;
        }

        /**
         * Sends an event once for each {@code send}, over a connection of its own, for a receiver that would act twice. Then
         * a failure without a reply is a {@code Retry} if the receiver may have got the request, and anything else only if it
         * has certainly got nothing. Left out: what broke with a connection that was kept, or was refused with an old
         * token, is sent again at once.
         */
        public Builder once() {
            this.once = true;
            return this;
        }

        Builder clock(InstantSource clock) {
            this.clock = clock;
            return this;
        }

        Builder lookup(HostResolver.Lookup lookup) {
            this.lookup = lookup;
            return this;
        }

        Builder idle(Duration longest) {
            this.idle = longest;
            return this;
        }

        Builder reactor(Reactor reactor) {
            this.reactor = reactor;
            return this;
        }

        public HttpSink build() {
            HttpSettings settings = new HttpSettings(
                    Target.of(url),
                    secretUrl,
                    proxy == null ? null : Target.of(proxy),
                    form,
                    secrets.isEmpty() ? null : HttpSettings.signature(secrets),
                    authentication,
                    headers,
                    tls,
                    destinations,
                    retried,
                    concurrency,
                    keptBytes,
                    idle,
                    once);
            return new HttpSink(settings, hosts(settings), clock, reactor);
        }

        private HostResolver hosts(HttpSettings settings) {
            AddressPolicy policy = settings.destinations().policy();
            return lookup == null ? new HostResolver(policy) : new HostResolver(lookup, policy, System::nanoTime);
        }
    }
}
