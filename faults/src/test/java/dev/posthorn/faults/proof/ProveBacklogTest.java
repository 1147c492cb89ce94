package dev.posthorn.faults.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.HubCalls;
import dev.posthorn.faults.harness.HubProcess;
import dev.posthorn.faults.harness.Patience;
import dev.posthorn.faults.harness.Servers;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SettableClock;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A relay that does not run is noticed by whoever reads the metrics, here from a hub that delivers nothing itself. */
@Tag("slow")
class ProveBacklogTest {

    private static final String SUBSCRIPTION = "orders";
    private static final String PENDING = "posthorn_pending";
    private static final String OLDEST_AGE = "posthorn_oldest_age_seconds";

    /** How old the oldest event may get until somebody is told. */
    private static final Duration OBJECTIVE = Duration.ofMinutes(5);

    private static final Duration A_MOMENT = Duration.ofSeconds(2);

    private final Database database = Database.create(Servers.newest(), 1);
    private final RecordingSink sink = RecordingSink.pipelined();

    ProveBacklogTest() throws SQLException {}

    @Test
    void aStoppedRelayIsSeenAndAlertedWithinTheObjectiveAndOnceItRunsTheBacklogDrainsToZero(@TempDir Path directory)
            throws Exception {
        AlertRule backlog = AlertRule.named("PosthornBacklog");
        AlertRule old = AlertRule.named("PosthornBacklogOld");
        assertThat(backlog.metric()).isEqualTo(PENDING);
        assertThat(old.metric()).isEqualTo(OLDEST_AGE);
        assertThat(backlog.lasting()).isLessThanOrEqualTo(OBJECTIVE);
        assertThat(Duration.ofSeconds((long) old.threshold()).plus(old.lasting()))
                .isLessThanOrEqualTo(OBJECTIVE);
        int tooMany = (int) backlog.threshold() + 1;
        try (HubProcess hub = hub(directory)) {
            hub.start();
            HubCalls calls = new HubCalls(hub);
            calls.awaitReady();
            try (Relay relay = relay()) {
                record(10);
                Patience.until(
                        "all is delivered by " + relay.instance(),
                        () -> sink.received().size() == 10);
                until(calls, PENDING, 0);
            }

            record(tooMany);
            SettableClock clock = SettableClock.at(databaseTime(), database.dataSource(), SchemaName.DEFAULT);
            until(calls, PENDING, tooMany);
            assertThat(backlog.holds(figure(calls, PENDING))).isTrue();
            assertThat(old.holds(figure(calls, OLDEST_AGE))).isFalse();

            clock.advance(OBJECTIVE.plus(A_MOMENT));
            Patience.until("the backlog is old", () -> old.holds(figure(calls, OLDEST_AGE)));
            assertThat(figure(calls, OLDEST_AGE))
                    .isBetween((double) OBJECTIVE.toSeconds(), OBJECTIVE.toSeconds() + 30.0);
            assertThat(backlog.holds(figure(calls, PENDING))).isTrue();

            try (Relay relay = relay()) {
                Patience.until(
                        "all is delivered by " + relay.instance(),
                        () -> sink.received().size() == 10 + tooMany);
                until(calls, PENDING, 0);
                until(calls, OLDEST_AGE, 0);
            }
        }
    }

    private HubProcess hub(Path directory) {
        return new HubProcess(directory)
                .variable("POSTHORN_DATABASE_URL", database.jdbcUrl())
                .variable("POSTHORN_DATABASE_USER", database.server().user())
                .variable("POSTHORN_DATABASE_PASSWORD", database.server().password())
                .setting("posthorn.relay.enabled", "false");
    }

    private Relay relay() {
        return Relay.builder(database.dataSource())
                .subscribe(Subscription.to(SUBSCRIPTION, sink).fromBeginning().build())
                .start();
    }

    private void record(int events) throws SQLException {
        try (Changes changes = new Changes(database)) {
            changes.of(Collections.nCopies(events, 0));
        }
    }

    private Instant databaseTime() throws SQLException {
        List<String> millis = database.column("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint");
        return Instant.ofEpochMilli(Long.parseLong(millis.get(0)));
    }

    private static void until(HubCalls calls, String metric, double value) throws Exception {
        Patience.until(metric + " is " + value, () -> figure(calls, metric) == value);
    }

    /** Not a number if there is none yet. */
    private static double figure(HubCalls calls, String metric) throws IOException, InterruptedException {
        Matcher line = Pattern.compile("(?m)^" + metric + "\\{subscription=\"" + SUBSCRIPTION + "\"} (\\S+)$")
                .matcher(calls.metrics());
        return line.find() ? Double.parseDouble(line.group(1)) : Double.NaN;
    }
}
