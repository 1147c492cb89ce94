package dev.posthorn.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.audit.Actor;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which events of the log a replay of history takes. */
class ReplayHistoryTest {

    private static final Actor ANN = Actor.named("ann");
    private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");
    private static final Instant FAR_AHEAD = Instant.parse("2100-01-01T00:00:00Z");

    private ReplayRows rows;
    private Replays replays;

    @BeforeEach
    void createDatabase() {
        rows = new ReplayRows();
        replays = new Replays(rows.database.dataSource(), SchemaName.DEFAULT);
    }

    private static ReplayRequest.Builder history(String... types) {
        return ReplayRequest.ofHistory("billing", LONG_AGO, FAR_AHEAD, List.of(types), null, null);
    }

    /** The seqs that are frozen. */
    private String start(ReplayRequest.Builder request) {
        long preview = replays.preview(request.build()).count();
        Replay replay = replays.start(request.build(), ANN);
        assertThat(replay.pending()).as("what the preview promised").isEqualTo(preview);
        return rows.database.value(
                "SELECT string_agg(seq::text, ' ' ORDER BY seq) FROM posthorn.replay_item WHERE state = 'PENDING'"
                        + " AND replay_id = " + replay.id());
    }

    @Test
    void deliveredEventsAreTakenAndThoseThatAreNotAreLeft() {
        for (int i = 0; i < 6; i++) {
            rows.rows.event("k" + i);
        }
        rows.settleAll(rows.billing);
        rows.rows.delivery(rows.billing, 2, "WAITING", 1);
        rows.rows.delivery(rows.billing, 3, "HELD", 0);
        rows.rows.deadLetter(rows.billing, 4, "E", "m", "m");
        rows.rows.delivery(rows.shipping, 5, "WAITING", 1);
        rows.rows.deadLetter(rows.shipping, 6, "E", "m", "m");
        rows.rows.event("not settled");
        assertThat(start(history())).isEqualTo("1 5 6");
        assertThat(rows.database.number("SELECT count(*) FROM posthorn.replay_item WHERE dead_letter_id IS NULL"))
                .isEqualTo(3);
    }

    @Test
    void whatIsHandedOverAndNotSettledIsLeft() {
        String before = rows.rows.snapshot();
        rows.rows.event("a");
        rows.rows.event("b");
        String after = rows.rows.snapshot();
        rows.rows.mark(rows.billing, before, after, 1);
        assertThat(start(history())).isEqualTo("1");
    }

    /** That is how a new subscriber is filled. */
    @Test
    void eventsFromBeforeTheSubscriptionAreTakenIfItsFilterWantsThem() {
        rows.rows.event("order.placed", "a");
        rows.rows.event("user.created", "a");
        long late = rows.rows.subscriptionAt("late", rows.rows.snapshot());
        rows.database.execute("UPDATE posthorn.generation SET types = '{order.%}' WHERE subscription_id = " + late);
        assertThat(start(ReplayRequest.ofHistory("late", LONG_AGO, FAR_AHEAD, List.of(), null, null)))
                .isEqualTo("1");
    }

    @Test
    void theFilterOfTodayCountsNotTheOneOfThen() {
        rows.rows.event("order.placed", "a");
        rows.rows.event("user.created", "a");
        String now = rows.rows.snapshot();
        rows.rows.generation(rows.billing, 2, 1, now, ", types = '{user.%}', headers = '{\"tenant\": \"7\"}'");
        rows.rows.lane(rows.billing, 2, 0, now, now, 0);
        rows.database.execute("UPDATE posthorn.subscription SET generation = 2 WHERE id = " + rows.billing);
        assertThat(start(history())).isEqualTo("2");
    }

    @Test
    void typesAggregateTypeAndKeyNarrowItDown() {
        rows.rows.event("order.placed", "a");
        rows.rows.event("order.paid", "a");
        rows.rows.event("order_paid", "b");
        rows.settleAll(rows.billing);
        assertThat(preview(history("order.*"))).isEqualTo(2);
        assertThat(preview(history("order.paid", "order_paid"))).isEqualTo(2);
        assertThat(preview(history("%"))).as("a pattern of LIKE is none here").isZero();
        assertThat(preview(ReplayRequest.ofHistory("billing", LONG_AGO, FAR_AHEAD, List.of(), "order", "b")))
                .isEqualTo(1);
        assertThat(preview(ReplayRequest.ofHistory("billing", LONG_AGO, FAR_AHEAD, List.of(), "invoice", null)))
                .isZero();
    }

    private long preview(ReplayRequest.Builder request) {
        return replays.preview(request.build()).count();
    }

    @Test
    void theRangeIsHalfOpen() {
        for (int i = 0; i < 3; i++) {
            rows.rows.event("k");
        }
        rows.database.execute(
                "UPDATE posthorn.event SET created_at = timestamptz '2026-01-01 00:00:00Z' + seq * interval '1 hour'");
        rows.settleAll(rows.billing);
        Instant first = Instant.parse("2026-01-01T01:00:00Z");
        assertThat(preview(ReplayRequest.ofHistory("billing", first, first.plusSeconds(3600), List.of(), null, null)))
                .isEqualTo(1);
        assertThat(preview(ReplayRequest.ofHistory("billing", first, first.plusSeconds(3601), List.of(), null, null)))
                .isEqualTo(2);
    }

    @Test
    void whatAnotherReplaySendsIsSkipped() {
        rows.rows.event("order.placed", "a");
        rows.rows.event("order.paid", "a");
        rows.settleAll(rows.billing);
        assertThat(start(history("order.paid"))).isEqualTo("2");
        assertThat(start(history())).isEqualTo("1");
        assertThat(replays.get(2).skipped()).containsEntry("already-replaying", 1L);
    }

    @Test
    void aSubscriptionThatIsNotThereIsRefused() {
        assertThatThrownBy(() -> start(ReplayRequest.ofHistory("nobody", LONG_AGO, FAR_AHEAD, List.of(), null, null)))
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
                .hasMessageStartingWith("there is no subscription named 'nobody'");
        assertThatThrownBy(() -> ReplayRequest.ofHistory("billing", LONG_AGO, LONG_AGO, List.of(), null, null))
                .hasMessageStartingWith("from is 2020-01-01T00:00:00Z and to is 2020-01-01T00:00:00Z; from must be");
        assertThatThrownBy(() -> start(history())).hasMessageStartingWith("nothing matches");
    }

    @Test
    void onlyThePartitionsOfTheRangeAreRead() throws SQLException {
        rows.database.execute("SELECT posthorn.add_partition(p * 1000 + (SELECT max(to_seq) FROM"
                + " posthorn.event_partition), (p + 1) * 1000 + (SELECT max(to_seq) FROM posthorn.event_partition))"
                + " FROM generate_series(0, 0) p");
        long last = rows.database.number("SELECT max(from_seq) FROM posthorn.event_partition");
        rows.rows.event("old");
        rows.database.execute("UPDATE posthorn.event SET created_at = timestamptz '2026-01-01 00:00:00Z'");
        rows.database.execute("SELECT setval('posthorn.event_seq', " + (last + 10) + ")");
        rows.rows.event("new");
        rows.settleAll(rows.billing);
        ReplayRequest request = ReplayRequest.ofHistory(
                        "billing", Instant.parse("2026-02-01T00:00:00Z"), FAR_AHEAD, List.of(), null, null)
                .build();
        assertThat(plan(request)).contains("event_" + last).doesNotContain("event_1 ");
    }

    private String plan(ReplayRequest request) throws SQLException {
        Pick pick = new Queries(rows.database.dataSource(), SchemaName.DEFAULT)
                .run("picking", t -> new Picker(t, request).forStart());
        StringBuilder plan = new StringBuilder();
        try (Connection connection = rows.database.dataSource().getConnection();
                PreparedStatement statement =
                        Sql.of(SchemaName.DEFAULT, "EXPLAIN " + pick.sql()).prepare(connection, pick.values());
                ResultSet lines = statement.executeQuery()) {
            while (lines.next()) {
                plan.append(lines.getString(1)).append('\n');
            }
        }
        return plan.toString();
    }
}
