package dev.posthorn.faults.hub;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.HubCalls;
import dev.posthorn.faults.harness.HubProcess;
import dev.posthorn.faults.harness.Patience;
import dev.posthorn.testkit.TemporaryDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Two hubs on a PostgreSQL that is neither's own. One of them will be killed. */
final class HubPair implements AutoCloseable {

    private static final String LANES = """
            SELECT count(*) FROM posthorn.lane_owner o JOIN posthorn.session s ON s.id = o.session_id
             WHERE s.instance = '%s' AND s.expires_at > clock_timestamp() + interval '%d seconds'""";

    private final TemporaryDirectory directory = TemporaryDirectory.create("posthorn-faults-hubs-");
    private final EmbeddedPostgres postgres = EmbeddedPostgres.temporary();
    private final Duration lease;
    private final HubProcess survivor;
    private final HubProcess victim;

    HubPair(Duration lease) throws IOException {
        this.lease = lease;
        this.survivor = hub("survivor");
        this.victim = hub("victim");
    }

    private HubProcess hub(String instance) throws IOException {
        return new HubProcess(Files.createDirectory(directory.path().resolve(instance)))
                .variable("POSTHORN_DATABASE_URL", postgres.jdbcUrl())
                .variable("POSTHORN_DATABASE_USER", postgres.user())
                .variable("POSTHORN_DATABASE_PASSWORD", postgres.password())
                .setting("posthorn.relay.instance", instance)
                .setting("posthorn.relay.session-ttl", lease.toSeconds() + "s");
    }

    EmbeddedPostgres postgres() {
        return postgres;
    }

    HubProcess survivor() {
        return survivor;
    }

    HubProcess victim() {
        return victim;
    }

    List<HubProcess> both() {
        return List.of(survivor, victim);
    }

    void start() throws Exception {
        survivor.start();
        victim.start();
        HubCalls calls = new HubCalls(survivor);
        HubCalls others = new HubCalls(victim);
        Patience.until("both hubs are ready", () -> calls.isReady() && others.isReady());
    }

    long lanesOfSurvivor() throws SQLException {
        return lanes("survivor", 0);
    }

    /** Those whose lease was renewed within the last second. */
    long freshLanesOfVictim() throws SQLException {
        return lanes("victim", (int) lease.toSeconds() - 1);
    }

    private long lanes(String instance, int secondsLeft) throws SQLException {
        return Database.number(postgres.dataSource(), LANES.formatted(instance, secondsLeft));
    }

    @Override
    public void close() throws IOException {
        survivor.close();
        victim.close();
        postgres.close();
        directory.close();
    }
}
