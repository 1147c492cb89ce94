package dev.posthorn.server.settings;

import static java.nio.file.attribute.PosixFilePermission.OTHERS_READ;
import static java.nio.file.attribute.PosixFilePermission.OTHERS_WRITE;

import dev.posthorn.error.PosthornException;
import dev.posthorn.http.address.Network;
import dev.posthorn.metrics.PerSubscription;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.springframework.util.unit.DataSize;

/** What settings must be like and how they must go together. Each refusal is one line that names the setting. */
final class SettingRules {

    private static final int SHORTEST_KEY = 20;
    private static final int SMALLEST_POOL = 2;
    private static final int GREATEST_PORT = 65_535;
    private static final int MOST_WORKERS = 64;
    private static final int MOST_LISTENERS = 1_000;
    private static final Duration SHORTEST_SESSION = Duration.ofSeconds(2);

    private SettingRules() {}

    static void check(HubSettings settings) {
        checkListeners(settings);
        checkAccess(settings);
        checkDatabase(settings);
        checkLimits(settings.limits());
        checkTimes(settings);
        checkRelay(settings.relay());
        demand(settings.replay().reasonAbove() >= 0, "posthorn.replay.reason-above must be at least 0");
        demand(settings.replay().limit() >= 1, "posthorn.replay.limit must be at least 1");
        checkMetrics(settings.metrics());
        demand(
                settings.stream().listeners() >= 0 && settings.stream().listeners() <= MOST_LISTENERS,
                "posthorn.stream.listeners must be from 0 to " + MOST_LISTENERS);
    }

    private static void checkRelay(HubSettings.Relay relay) {
        demand(
                relay.workers() >= 1 && relay.workers() <= MOST_WORKERS,
                "posthorn.relay.workers must be from 1 to " + MOST_WORKERS
                        + ": each is a connection and reads the log");
        demand(
                relay.sessionTtl().compareTo(SHORTEST_SESSION) >= 0,
                "posthorn.relay.session-ttl must be at least " + SHORTEST_SESSION.toSeconds() + "s");
    }

    private static void checkMetrics(HubSettings.Metrics metrics) {
        try {
            PerSubscription.of(metrics.perSubscription());
        } catch (PosthornException e) {
            throw new WrongSettingException("posthorn.metrics.per-subscription " + e.getMessage(), e);
        }
    }

    private static void checkListeners(HubSettings settings) {
        checkPort("posthorn.http.port", settings.http().port());
        checkPort("posthorn.grpc.port", settings.grpc().port());
        checkTls("posthorn.http.tls", settings.http().tls());
        checkTls("posthorn.grpc.tls", settings.grpc().tls());
        settings.http().trustedProxies().forEach(SettingRules::checkNetwork);
        demand(
                settings.http().port() == 0
                        || settings.http().port() != settings.grpc().port(),
                "posthorn.http.port and posthorn.grpc.port are both "
                        + settings.http().port() + "; each listener needs a port of its own");
    }

    private static void checkNetwork(String network) {
        try {
            Network.of(network);
        } catch (PosthornException e) {
            throw new WrongSettingException("posthorn.http.trusted-proxies: " + e.getMessage(), e);
        }
    }

    private static void checkPort(String name, int port) {
        demand(port >= 0 && port <= GREATEST_PORT, name + " is " + port + "; a port is 0 (any free one) to 65535");
    }

    private static void checkTls(String name, HubSettings.Tls tls) {
        demand(
                (tls.certificate() == null) == (tls.privateKey() == null),
                name + ".certificate and " + name + ".private-key belong together; set both or neither");
        checkReadable(name + ".certificate", tls.certificate());
        checkReadable(name + ".private-key", tls.privateKey());
    }

    private static void checkReadable(String name, @Nullable Path file) {
        demand(
                file == null || (Files.isRegularFile(file) && Files.isReadable(file)),
                name + " is " + file + ", which is not a file that the hub can read");
    }

    private static void checkAccess(HubSettings settings) {
        String key = settings.access().adminKey();
        demand(
                key == null || key.length() >= SHORTEST_KEY,
                "posthorn.access.admin-key must have at least " + SHORTEST_KEY
                        + " characters, so that nobody guesses it; 'openssl rand -base64 32' makes a good one");
        if (key == null) {
            checkLoopback("posthorn.http.address", settings.http().address());
            checkLoopback("posthorn.grpc.address", settings.grpc().address());
        } else {
            address("posthorn.http.address", settings.http().address());
            address("posthorn.grpc.address", settings.grpc().address());
        }
    }

    private static void checkLoopback(String name, String address) {
        demand(
                address(name, address).isLoopbackAddress(),
                name + " is " + address + ", where others can reach the hub, but no API key is configured; set"
                        + " posthorn.access.admin-key (POSTHORN_ACCESS_ADMINKEY) or listen on 127.0.0.1");
    }

    private static InetAddress address(String name, String address) {
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new WrongSettingException(name + " is '" + address + "', which is no address of this machine", e);
        }
    }

    private static void checkDatabase(HubSettings settings) {
        HubSettings.Database database = settings.database();
        demand(
                database.poolSize() >= SMALLEST_POOL,
                "posthorn.database.pool-size is " + database.poolSize() + "; it must be at least " + SMALLEST_POOL);
        if (database.url() == null) {
            demand(
                    database.user() == null && database.password() == null,
                    "posthorn.database.user and posthorn.database.password are for a PostgreSQL of yours; set"
                            + " posthorn.database.url too, or leave them out");
            checkWritable(settings.data());
        } else {
            checkUrl(database.url());
        }
    }

    /** Not quoted, whatever is wrong with it: it may hold a password. */
    private static void checkUrl(String url) {
        demand(
                url.startsWith("jdbc:postgresql:"),
                "posthorn.database.url must begin with jdbc:postgresql:, such as"
                        + " jdbc:postgresql://127.0.0.1:5432/posthorn");
        demand(
                Driver.parseURL(url, null) != null,
                "posthorn.database.url is no URL of a PostgreSQL; write it like"
                        + " jdbc:postgresql://127.0.0.1:5432/posthorn");
    }

    private static void checkWritable(Path data) {
        try {
            Files.createDirectories(data);
            closeToOthers(data);
        } catch (IOException e) {
            throw new WrongSettingException(notWritable(data), e);
        }
        demand(Files.isWritable(data), notWritable(data));
    }

    /**
     * Others may pass through, as PostgreSQL's own user must where the hub runs as root, and see nothing. A directory that is
     * somebody else's is theirs to close.
     */
    private static void closeToOthers(Path data) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(data, PosixFileAttributeView.class);
        if (view != null && view.readAttributes().owner().getName().equals(System.getProperty("user.name"))) {
            Set<PosixFilePermission> permissions =
                    EnumSet.copyOf(view.readAttributes().permissions());
            if (permissions.removeAll(Set.of(OTHERS_READ, OTHERS_WRITE))) {
                view.setPermissions(permissions);
            }
        }
    }

    private static String notWritable(Path data) {
        return "posthorn.data is " + data + ", which is not a directory that the hub can write to";
    }

    private static void checkLimits(HubSettings.Limits limits) {
        checkPositive("posthorn.limits.body", limits.body());
        checkPositive("posthorn.limits.headers", limits.headers());
        checkPositive("posthorn.limits.payload", limits.payload());
        demand(limits.batch() >= 1, "posthorn.limits.batch must be at least 1");
        demand(limits.depth() >= 1, "posthorn.limits.depth must be at least 1");
        demand(limits.concurrentRequests() >= 1, "posthorn.limits.concurrent-requests must be at least 1");
        demand(
                limits.requestsPerSecond() >= 0 && Double.isFinite(limits.requestsPerSecond()),
                "posthorn.limits.requests-per-second must be 0 (any number) or more");
    }

    private static void checkPositive(String name, DataSize size) {
        demand(
                size.toBytes() > 0 && size.toBytes() <= Integer.MAX_VALUE / 4,
                name + " must be more than 0B and less than 512MB");
    }

    private static void checkTimes(HubSettings settings) {
        checkPositive("posthorn.database.connect-timeout", settings.database().connectTimeout());
        checkPositive("posthorn.grpc.connection-age", settings.grpc().connectionAge());
        checkPositive("posthorn.limits.request-time", settings.limits().requestTime());
        checkPositive("posthorn.retention.log", settings.retention().log());
        checkPositive("posthorn.retention.attempts", settings.retention().attempts());
        checkPositive("posthorn.retention.dead-letters", settings.retention().deadLetters());
        checkPositive("posthorn.retention.dedup-period", settings.retention().dedupPeriod());
    }

    private static void checkPositive(String name, @Nullable Duration time) {
        demand(time == null || (!time.isNegative() && !time.isZero()), name + " must be more than 0, such as 30s");
    }

    private static void demand(boolean holds, String otherwise) {
        if (!holds) {
            throw new WrongSettingException(otherwise);
        }
    }
}
