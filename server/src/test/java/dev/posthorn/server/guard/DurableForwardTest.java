package dev.posthorn.server.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.event.Event;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import dev.posthorn.server.database.HubSchema;
import dev.posthorn.sink.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * A request leaves after the commit of its claim. A server that forgot the claim in a crash would let the same event be
 * forwarded again, to a system that acts twice.
 */
class DurableForwardTest {

    private static final byte[] DIGEST = {1};

    private final Event event =
            Event.builder().source("shop").type("t").json("{}").build();

    @Test
    void claimAndResultOutlastACrashAlsoWhereTransactionsDoNot() throws SQLException {
        try (EmbeddedPostgres server =
                EmbeddedPostgres.builder().setting("wal_writer_delay", "10s").start()) {
            execute(server.dataSource(), "CREATE DATABASE hub");
            DataSource dataSource = server.dataSource("hub");
            HubSchema.install(dataSource, SchemaName.DEFAULT);
            execute(dataSource, "ALTER DATABASE hub SET synchronous_commit = off");
            ForwardStore store = new ForwardStore(new Queries(dataSource, SchemaName.DEFAULT), "one");

            assertThat(claim(store)).isInstanceOf(ForwardStore.Claim.Mine.class);
            crash(server);
            assertThat(state(store)).isEqualTo(ForwardState.FORWARDING);

            store.settle("legacy", event.id(), 1, new Result(ForwardState.FORWARDED, Outcome.DELIVERED), text -> text);
            crash(server);
            assertThat(state(store)).isEqualTo(ForwardState.FORWARDED);
        }
    }

    private ForwardStore.Claim claim(ForwardStore store) {
        return store.claim("legacy", event, DIGEST, Duration.ofMinutes(10));
    }

    private ForwardState state(ForwardStore store) {
        return ((ForwardStore.Claim.Known) claim(store)).forward().state();
    }

    private static void crash(EmbeddedPostgres server) {
        server.kill();
        server.start();
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
