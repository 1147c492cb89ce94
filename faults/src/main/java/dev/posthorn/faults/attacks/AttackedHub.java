package dev.posthorn.faults.attacks;

import dev.posthorn.faults.attacks.client.RestAnswer;
import dev.posthorn.faults.attacks.client.RestConnection;
import dev.posthorn.faults.harness.HubProcess;
import dev.posthorn.faults.harness.Patience;
import dev.posthorn.testkit.OwnPostgres;
import dev.posthorn.testkit.TemporaryDirectory;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.time.Duration;
import javax.sql.DataSource;
import tools.jackson.databind.json.JsonMapper;

/** A hub with keys, on its own PostgreSQL, in a process as people start it. */
final class AttackedHub implements AutoCloseable {

    /** In MiB. */
    static final int HEAP = 512;

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LONGEST_START = Duration.ofMinutes(3);
    private static final String ADMIN_KEY = "admin-key-of-the-settings";

    private final TemporaryDirectory directory = TemporaryDirectory.create("posthorn-attacks-");
    private final HubProcess hub = new HubProcess(directory.path())
            .java("-Xmx" + HEAP + "m")
            .variable("POSTHORN_ACCESS_ADMINKEY", ADMIN_KEY)
            .setting("posthorn.relay.session-ttl", "2s");
    private final OwnPostgres postgres = new OwnPostgres(hub.data());
    private final String publisherKey;
    private final String viewerKey;

    AttackedHub() throws Exception {
        try {
            start();
            publisherKey = makeKey("publisher");
            viewerKey = makeKey("viewer");
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    /** Again, if it has died. */
    void start() throws Exception {
        hub.start();
        Patience.until("the hub is ready", LONGEST_START, () -> {
            hub.requireAlive();
            return isReady();
        });
    }

    private boolean isReady() {
        try (RestConnection anybody = rest("")) {
            return anybody.get("/actuator/health/readiness").isServed();
        } catch (IOException notYet) {
            return false;
        }
    }

    private String makeKey(String role) throws IOException {
        String document = "{\"name\": \"a-%s\", \"role\": \"%s\"}".formatted(role, role);
        return JsonMapper.shared()
                .readTree(admin("POST", "/v1/keys", document))
                .path("key")
                .asString();
    }

    /** What an admin asks, and is granted. */
    String admin(String method, String path, String document) throws IOException {
        try (RestConnection admin = rest(ADMIN_KEY)) {
            RestAnswer answer = admin.call(method, path, document);
            if (!answer.isServed()) {
                throw new IllegalStateException(
                        method + " " + path + " was answered " + answer.status() + ": " + answer.body());
            }
            return answer.body();
        }
    }

    RestConnection rest(String key) {
        return new RestConnection(hub.httpPort(), key, PATIENCE);
    }

    RestConnection rest(String key, Duration patience) {
        return new RestConnection(hub.httpPort(), key, patience);
    }

    ManagedChannel grpc() {
        return NettyChannelBuilder.forAddress("127.0.0.1", hub.grpcPort())
                .usePlaintext()
                .build();
    }

    int httpPort() {
        return hub.httpPort();
    }

    int grpcPort() {
        return hub.grpcPort();
    }

    String publisherKey() {
        return publisherKey;
    }

    String viewerKey() {
        return viewerKey;
    }

    boolean isAlive() {
        return hub.isAlive();
    }

    long pid() {
        return hub.pid();
    }

    String log() {
        return hub.log();
    }

    String metrics() throws IOException {
        return admin("GET", "/actuator/prometheus", "");
    }

    DataSource database() throws IOException {
        return postgres.dataSource();
    }

    @Override
    public void close() throws IOException {
        hub.close();
        postgres.killWhatIsLeft();
        directory.close();
    }
}
