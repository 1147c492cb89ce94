package dev.posthorn.server.database;

import com.zaxxer.hikari.HikariConfig;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.embedded.postgres.EmbeddedPostgresException;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.settings.HubSettings;
import dev.posthorn.server.settings.WrongSettingException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The PostgreSQL that the hub stands on: the one that the settings name, or else an embedded one of its own. Being away
 * is a state, not an error: the hub starts without it, says so, and goes on when it is there.
 */
public final class Database implements AutoCloseable {

    /** A host that is gone without a word must not keep a call waiting for ever. Sessions of the relay set their own. */
    private static final int SILENCE_SECONDS = 30;

    private static final Duration SOON = Duration.ofSeconds(1);

    /** Less than callers wait for the server, so that nothing goes on there that they have given up. */
    private static final Duration LONGEST = Duration.ofSeconds(110);

    private static final Duration LONGEST_LOOK = Duration.ofSeconds(10);

    /** Of the connections for calls, those who look have a third as many besides. */
    private static final int LOOKING = 3;

    /** One chooses, and one may wait for it. */
    private static final int CHOOSING = 2;

    private final SchemaName schema;
    private final @Nullable EmbeddedPostgres embedded;
    private final PGSimpleDataSource direct;
    private final Share calls;
    private final Share looks;
    private final Share choices;
    private final OutageLog outage = new OutageLog(System::nanoTime);
    private volatile boolean ready;

    private Database(HubSettings.Database settings, @Nullable EmbeddedPostgres embedded, PGSimpleDataSource direct) {
        this.schema = new SchemaName(settings.schema());
        this.embedded = embedded;
        this.direct = direct;
        this.calls = new Share(pool(settings, direct, "calls", settings.poolSize()), "calls", LONGEST);
        this.looks = new Share(
                pool(settings, direct, "looks", Math.max(1, settings.poolSize() / LOOKING)), "searches", LONGEST_LOOK);
        this.choices = new Share(pool(settings, direct, "choices", CHOOSING), "replays and discards", LONGEST);
    }

    /** Opens it; the embedded one is started, another one may still be away. */
    public static Database open(HubSettings settings) {
        if (settings.database().url() != null) {
            return new Database(settings.database(), null, external(settings.database()));
        }
        EmbeddedPostgres embedded = embedded(settings.data());
        return new Database(settings.database(), embedded, embedded.dataSource());
    }

    private static EmbeddedPostgres embedded(Path data) {
        try {
            return EmbeddedPostgres.builder()
                    .dataDirectory(data.resolve("postgres"))
                    .start();
        } catch (EmbeddedPostgresException | UncheckedIOException e) {
            throw new WrongSettingException("posthorn.data is " + data + ". " + e.getMessage(), e);
        }
    }

    private static PGSimpleDataSource external(HubSettings.Database settings) {
        PGSimpleDataSource direct = new PGSimpleDataSource();
        direct.setURL(Objects.requireNonNull(settings.url()));
        if (settings.user() != null) {
            direct.setUser(settings.user());
        }
        if (settings.password() != null) {
            direct.setPassword(settings.password());
        }
        direct.setConnectTimeout((int) Math.max(1, settings.connectTimeout().toSeconds()));
        direct.setTcpKeepAlive(true);
        if (direct.getSocketTimeout() == 0) {
            direct.setSocketTimeout(SILENCE_SECONDS);
        }
        return direct;
    }

    private static HikariConfig pool(HubSettings.Database settings, DataSource direct, String name, int size) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("posthorn-" + name);
        config.setDataSource(direct);
        config.setMaximumPoolSize(size);
        if (size < settings.poolSize()) {
            // Needed now and then.
            config.setMinimumIdle(0);
        }
        config.setConnectionTimeout(settings.connectTimeout().toMillis());
        // Starts without a database, and asks for it again and again.
        config.setInitializationFailTimeout(-1);
        return config;
    }

    public SchemaName schema() {
        return schema;
    }

    /** Connections for calls, from a pool. */
    public DataSource calls() {
        return calls;
    }

    /** Few connections for those who look, who so never take those of publishers, and for no long time each. */
    public DataSource looks() {
        return looks;
    }

    /** Two connections for those who choose many events or dead letters at once, which may take a while. */
    public DataSource choices() {
        return choices;
    }

    /** A new connection each time, for those who keep theirs. */
    public DataSource direct() {
        return direct;
    }

    /** Transactions on the pool's connections. */
    public Queries queries() {
        return new Queries(calls, schema);
    }

    public @Nullable EmbeddedPostgres embedded() {
        return embedded;
    }

    /**
     * The hub is up. From here on its parts end one after the other, and the embedded PostgreSQL last; a hub that is told to
     * end before that ends no parts, and would leave its PostgreSQL behind.
     */
    public void hubIsUp() {
        if (embedded != null) {
            embedded.leaveAtExit();
        }
    }

    OutageLog outage() {
        return outage;
    }

    /** Whether it was reached and its tables are there. It may have gone away since. */
    public boolean isReady() {
        return ready;
    }

    void ready() {
        ready = true;
    }

    /** Turns a call away that comes before the database was first reached. */
    public void requireReady() {
        if (!ready) {
            throw Problem.unavailable("the hub waits for its database; try again in a moment", SOON)
                    .asException();
        }
    }

    @Override
    public void close() {
        calls.close();
        looks.close();
        choices.close();
        if (embedded != null) {
            embedded.close();
        }
    }
}
