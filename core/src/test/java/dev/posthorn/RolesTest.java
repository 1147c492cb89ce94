package dev.posthorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.audit.AuditQuery;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.deadletter.DeadLetters;
import dev.posthorn.event.Event;
import dev.posthorn.inbox.Claim;
import dev.posthorn.inbox.Inbox;
import dev.posthorn.inbox.InboxEntry;
import dev.posthorn.log.Queries;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.retention.Retention;
import dev.posthorn.relay.retention.RetentionKeeper;
import dev.posthorn.status.EventStatuses;
import dev.posthorn.status.Gauges;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A writer and a relay do their work with the roles of {@code roles.sql}, and nothing else. */
class RolesTest {

    @Test
    void theRolesSufficeAndPermitNothingElse() throws SQLException {
        check(TestDatabase.create());
    }

    @Test
    void theRolesSufficeAndPermitNothingElseOnTheOldestPostgresql() throws SQLException {
        check(TestDatabase.createOnOldest());
    }

    /** Roles belong to the cluster: a second database or schema must not stumble over those of the first. */
    @Test
    void theScriptCanBeRunForMoreThanOneSchema() {
        TestDatabase database = TestDatabase.create();
        new Schema(new SchemaName("billing")).install(database.dataSource());
        database.execute(new Schema(SchemaName.DEFAULT).roles());
        database.execute(new Schema(new SchemaName("billing")).roles());
        assertThat(database.value("SELECT has_table_privilege('posthorn_writer', 'billing.event', 'INSERT')"))
                .isEqualTo("t");
    }

    private static void check(TestDatabase database) throws SQLException {
        database.execute(new Schema(SchemaName.DEFAULT).roles());
        DataSource writer = login(database, "posthorn_writer");
        DataSource relay = login(database, "posthorn_relay");
        // So near the end of the only partition that the relay has to add one.
        database.execute("SELECT setval('posthorn.event_seq', 499000)");

        RecordingSink sink = RecordingSink.oneAtATime();
        try (Relay running = Relay.builder(relay)
                .subscribe(Subscription.to("test", sink).ratePerSecond(1000).build())
                .start()) {
            record(writer);
            running.wake();
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(sink.received()).hasSize(3));
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> database.number("SELECT count(*) FROM posthorn.event_partition") == 2);
        }
        writerClaims(writer);
        lookersSucceed(relay);
        // A partition that the relay added is no way around what it may not do.
        writerIsHeldToItsRole(writer);
        relayIsHeldToItsRole(relay);
        relayForgetsWhatIsOld(database, relay);
    }

    private static void relayForgetsWhatIsOld(TestDatabase database, DataSource relay) {
        database.execute("DELETE FROM posthorn.subscription; SELECT setval('posthorn.event_seq', 500000)");
        Duration hardlyAny = Duration.ofMillis(1);
        RetentionKeeper keeper = new RetentionKeeper(
                relay,
                SchemaName.DEFAULT,
                new Retention(hardlyAny, hardlyAny, hardlyAny, hardlyAny, Duration.ofMinutes(1)));
        await().atMost(Duration.ofSeconds(60))
                .until(() -> keeper.pass().dropped().size() == 1);
        assertThat(database.number("SELECT count(*) FROM posthorn.inbox_entry")).isZero();
        assertThat(database.number("SELECT min(from_seq) FROM posthorn.event_partition"))
                .isEqualTo(500_001);
    }

    /** Whoever has the relay's role can also look and ask. */
    private static void lookersSucceed(DataSource relay) throws SQLException {
        execute(relay, "SELECT * FROM posthorn.event_status");
        EventStatuses statuses = new EventStatuses(relay, SchemaName.DEFAULT);
        statuses.counts("test");
        statuses.stuckSending(Duration.ZERO);
        statuses.nearLastAttempt(1);
        statuses.averageLatency("test", Duration.ofHours(1));
        assertThat(new Gauges(relay, SchemaName.DEFAULT).all()).hasSize(1);
        assertThat(new DeadLetters(relay, SchemaName.DEFAULT)
                        .find(DeadLetterQuery.OPEN)
                        .letters())
                .isEmpty();
        new Queries(relay, SchemaName.DEFAULT).run("writing", t -> {
            Audit.write(t, Actor.named("ann"), Act.of("key.create", "key/shop"));
            return true;
        });
        assertThat(new Audit(relay, SchemaName.DEFAULT).find(AuditQuery.ALL).entries())
                .hasSize(1);
        execute(
                relay,
                "INSERT INTO posthorn.command (subscription_id, kind, event_id, seq, requested_by)"
                        + " SELECT id, 'RELEASE', gen_random_uuid(), 1, 'ann' FROM posthorn.subscription");
    }

    private static void writerIsHeldToItsRole(DataSource writer) {
        denied(
                writer,
                "SELECT count(*) FROM posthorn.event",
                "SELECT count(*) FROM posthorn.event_1",
                "INSERT INTO posthorn.event_1 SELECT * FROM posthorn.event_1",
                "UPDATE posthorn.event SET type = 'forged'",
                "DELETE FROM posthorn.event",
                "TRUNCATE posthorn.event",
                "DROP TABLE posthorn.event_1",
                "SELECT setval('posthorn.event_seq', 1)",
                "SELECT * FROM posthorn.lane_mark",
                "SELECT * FROM posthorn.event_status",
                "SELECT * FROM posthorn.dead_letter",
                "UPDATE posthorn.inbox_entry SET digest = NULL",
                "DELETE FROM posthorn.inbox_entry",
                "INSERT INTO posthorn.command (subscription_id, kind, event_id, seq, requested_by)"
                        + " VALUES (1, 'RELEASE', gen_random_uuid(), 1, 'ann')",
                "UPDATE posthorn.lane_mark SET seq = 0",
                "UPDATE posthorn.lane_owner SET session_id = NULL",
                "DELETE FROM posthorn.subscription",
                "UPDATE posthorn.cluster SET era = 1",
                "SELECT posthorn.add_partition(900000, 900001)",
                "SELECT posthorn.lock_partition(1)",
                "SELECT posthorn.drop_partition(1)",
                "SELECT posthorn.delete_strays(now(), 1)",
                "CREATE TABLE posthorn.own (id int)");
    }

    private static void relayIsHeldToItsRole(DataSource relay) {
        denied(
                relay,
                "UPDATE posthorn.event SET type = 'forged'",
                "UPDATE posthorn.event_500001 SET type = 'forged'",
                "DELETE FROM posthorn.event",
                "TRUNCATE posthorn.event",
                "DROP TABLE posthorn.event_500001",
                "INSERT INTO posthorn.event (id, source, type, version, content_type, payload, occurred_at)"
                        + " VALUES (gen_random_uuid(), 's', 't', 1, 'a/b', '', now())",
                "SELECT setval('posthorn.event_seq', 1)",
                "UPDATE posthorn.cluster SET era = 1",
                "INSERT INTO posthorn.schema_version VALUES (99)",
                "DELETE FROM posthorn.event_partition",
                "UPDATE posthorn.event_partition SET to_seq = 7",
                "DELETE FROM posthorn.event_default",
                "UPDATE posthorn.audit SET actor = 'eve'",
                "DELETE FROM posthorn.audit",
                "TRUNCATE posthorn.audit",
                "ALTER TABLE posthorn.audit DISABLE TRIGGER audit_append_only",
                "UPDATE posthorn.inbox_entry SET digest = NULL",
                "INSERT INTO posthorn.inbox_entry (consumer, event_id) VALUES ('billing', gen_random_uuid())",
                "CREATE TABLE posthorn.own (id int)");
    }

    private static void record(DataSource writer) throws SQLException {
        Event event = Event.builder()
                .source("shop")
                .type("order.placed")
                .key("order-7")
                .header("tenant", "7")
                .json("{}")
                .build();
        try (Connection connection = writer.getConnection()) {
            connection.setAutoCommit(false);
            Outbox.builder().lockKeys(true).build().record(connection, event);
            Outbox.create().record(connection, List.of(event, event));
            connection.commit();
        }
    }

    private static void writerClaims(DataSource writer) throws SQLException {
        InboxEntry entry = new InboxEntry(new UUID(1, 1), new byte[1]);
        try (Connection connection = writer.getConnection()) {
            connection.setAutoCommit(false);
            assertThat(Inbox.create().claim(connection, "billing", List.of(entry, entry)))
                    .containsExactly(Claim.FRESH, Claim.DUPLICATE);
            assertThat(Inbox.create().claim(connection, "billing", List.of(entry)))
                    .containsExactly(Claim.DUPLICATE);
            assertThat(Inbox.create().onceEach(connection, "billing", sameIdOfTwo(), (same, fresh) -> {}))
                    .hasSize(2);
            connection.commit();
        }
    }

    private static List<Event> sameIdOfTwo() {
        return Stream.of("shop", "warehouse")
                .map(source -> Event.builder()
                        .id(new UUID(2, 2))
                        .source(source)
                        .type("order.placed")
                        .json("{}")
                        .build())
                .toList();
    }

    private static DataSource login(TestDatabase database, String role) {
        String user = role + "_login";
        database.execute("DROP ROLE IF EXISTS " + user);
        database.execute("CREATE ROLE " + user + " LOGIN PASSWORD 'secret' IN ROLE " + role);
        return database.dataSource(user, "secret");
    }

    private static void denied(DataSource dataSource, String... statements) {
        for (String sql : statements) {
            assertThatThrownBy(() -> execute(dataSource, sql))
                    .as(sql)
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getSQLState())
                                    .as("%s: %s", sql, e.getMessage())
                                    .isEqualTo("42501"));
        }
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
