package dev.posthorn.server.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * All settings of the hub.
 *
 * @param data where the embedded PostgreSQL and the generated secret key live
 * @param eventTypes whether an event of a type that nobody registered is refused (strict) or registers it (open)
 * @param http where REST listens
 * @param grpc where gRPC listens
 * @param database which PostgreSQL to use
 * @param access who may call
 * @param secrets how secrets of subscriptions are encrypted
 * @param destinations where subscriptions may send over HTTP
 * @param relay how events are delivered
 * @param replay what a replay may do
 * @param retention for how long things are kept
 * @param limits how much a caller may ask for
 * @param metrics what is told to whoever scrapes
 * @param stream what is told to those who watch
 */
@ConfigurationProperties(prefix = "posthorn", ignoreUnknownFields = false)
public record HubSettings(
        @DefaultValue("./data") Path data,
        @DefaultValue("open") EventTypeMode eventTypes,
        @DefaultValue Http http,
        @DefaultValue Grpc grpc,
        @DefaultValue Database database,
        @DefaultValue Access access,
        @DefaultValue Secrets secrets,
        @DefaultValue Destinations destinations,
        @DefaultValue Relay relay,
        @DefaultValue Replay replay,
        @DefaultValue Retention retention,
        @DefaultValue Limits limits,
        @DefaultValue Metrics metrics,
        @DefaultValue Stream stream) {

    /**
     * What is told to those who watch.
     *
     * @param listeners how many may watch at a time, each open page of the console being one
     */
    public record Stream(@DefaultValue("50") int listeners) {}

    /**
     * What is told to whoever scrapes.
     *
     * @param perSubscription which subscriptions have series of their own: all, none, or the busiest, such as 'busiest 100'
     */
    public record Metrics(@DefaultValue("busiest 1000") String perSubscription) {}

    /** What becomes of an event whose type nobody registered. */
    public enum EventTypeMode {
        OPEN,
        STRICT
    }

    /**
     * Where REST listens.
     *
     * @param address the address to listen on
     * @param port the port to listen on; 0 takes a free one
     * @param tls the certificate, if it is to speak HTTPS
     * @param trustedProxies addresses and networks (CIDR) of proxies whose X-Forwarded-For is believed
     */
    public record Http(
            @DefaultValue("127.0.0.1") String address,
            @DefaultValue("8080") int port,
            @DefaultValue Tls tls,
            @DefaultValue List<String> trustedProxies) {}

    /**
     * Where gRPC listens.
     *
     * @param address the address to listen on
     * @param port the port to listen on; 0 takes a free one
     * @param tls the certificate, if it is to speak TLS
     * @param connectionAge how long a connection may last; streams on it end before, and clients connect again
     */
    public record Grpc(
            @DefaultValue("127.0.0.1") String address,
            @DefaultValue("9090") int port,
            @DefaultValue Tls tls,
            @DefaultValue("1h") Duration connectionAge) {}

    /**
     * A listener's certificate. Both or neither.
     *
     * @param certificate PEM file with the certificate and its chain
     * @param privateKey PEM file with the private key (PKCS #8)
     */
    public record Tls(@Nullable Path certificate, @Nullable Path privateKey) {

        public boolean isOn() {
            return certificate != null;
        }
    }

    /**
     * Which PostgreSQL to use.
     *
     * @param url JDBC URL; left out, an embedded PostgreSQL is started in the data directory
     * @param user user name
     * @param password password of the user
     * @param schema the PostgreSQL schema of Posthorn's tables
     * @param poolSize how many connections serve calls; searches have a third as many, replays and discards two, and the
     *     relay its own besides
     * @param connectTimeout how long a call waits for a connection
     */
    public record Database(
            @Nullable String url,
            @Nullable String user,
            @Nullable String password,
            @DefaultValue("posthorn") String schema,
            @DefaultValue("10") int poolSize,
            @DefaultValue("3s") Duration connectTimeout) {

        @Override
        public String toString() {
            return "Database[url=" + (url == null ? "none" : url.split("\\?", 2)[0]) + ", user=" + user + ", schema="
                    + schema + "]";
        }
    }

    /**
     * Who may call.
     *
     * @param adminKey an API key with the role admin that is there from the start; with it, every call needs a key
     */
    public record Access(@Nullable String adminKey) {

        @Override
        public String toString() {
            return "Access[adminKey=" + (adminKey == null ? "none" : "…") + "]";
        }
    }

    /**
     * How secrets of subscriptions are encrypted.
     *
     * @param key the AES key, 32 bytes in Base64; left out with the embedded PostgreSQL, one is made in the data directory
     * @param formerKeys keys that were used before, so that what they encrypted can be read and encrypted anew
     */
    public record Secrets(
            @Nullable String key, @DefaultValue List<String> formerKeys) {

        @Override
        public String toString() {
            return "Secrets[key=" + (key == null ? "none" : "…") + ", formerKeys=" + formerKeys.size() + "]";
        }
    }

    /**
     * Where subscriptions may send over HTTP, besides public addresses.
     *
     * @param allowLoopback whether to this machine itself; left out, only if the hub listens on loopback alone
     * @param allowNetworks private networks (CIDR) that may be sent to
     * @param allowHosts hosts that may be sent to whatever their address
     * @param onlyPorts if given, the only ports that may be sent to
     */
    public record Destinations(
            @Nullable Boolean allowLoopback,
            @DefaultValue List<String> allowNetworks,
            @DefaultValue List<String> allowHosts,
            @DefaultValue List<Integer> onlyPorts) {}

    /**
     * How events are delivered.
     *
     * @param enabled whether this instance delivers; without, it takes events and leaves delivery to others
     * @param instance a name for this instance, unique among those that run; left out, a random one
     * @param workers how many threads, each with a connection of its own, deliver
     * @param sessionTtl how long the lanes of an instance that is not heard of stay its own; at least a second longer than
     *     twice the timeout of any subscription
     */
    public record Relay(
            @DefaultValue("true") boolean enabled,
            @Nullable String instance,
            @DefaultValue("2") int workers,
            @DefaultValue("30s") Duration sessionTtl) {}

    /**
     * What a replay may do.
     *
     * @param reasonAbove a replay of more items than this needs a reason
     * @param limit how often a dead letter may be replayed in vain; after that it is skipped
     */
    public record Replay(
            @DefaultValue("100") int reasonAbove,
            @DefaultValue("10") int limit) {}

    /**
     * For how long things are kept.
     *
     * @param log events in the log
     * @param attempts what was tried for an event that did not go well
     * @param deadLetters dead letters; left out, until somebody deals with them
     * @param dedupPeriod ids of events that were published, by which one that comes again is known
     */
    public record Retention(
            @DefaultValue("7d") Duration log,
            @DefaultValue("30d") Duration attempts,
            @Nullable Duration deadLetters,
            @DefaultValue("30d") Duration dedupPeriod) {}

    /**
     * How much a caller may ask for.
     *
     * @param body the greatest request body
     * @param requestTime how long a request's body may take to come
     * @param headers the greatest request line and headers together
     * @param payload the greatest payload of an event
     * @param batch how many events one request may hold
     * @param depth how deep JSON may be nested
     * @param requestsPerSecond how many requests one API key (without keys: one address) may make a second; 0: any number
     * @param concurrentRequests how many requests are worked on at a time; more are turned away
     */
    public record Limits(
            @DefaultValue("16MB") DataSize body,
            @DefaultValue("30s") Duration requestTime,
            @DefaultValue("16KB") DataSize headers,
            @DefaultValue("1MB") DataSize payload,
            @DefaultValue("5000") int batch,
            @DefaultValue("64") int depth,
            @DefaultValue("0") double requestsPerSecond,
            @DefaultValue("200") int concurrentRequests) {}
}
