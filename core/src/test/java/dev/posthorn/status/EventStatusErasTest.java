package dev.posthorn.status;

import static dev.posthorn.TroubleRows.NOTHING;
import static dev.posthorn.status.Status.DELIVERED;
import static dev.posthorn.status.Status.PENDING;
import static dev.posthorn.status.Status.SENDING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.log.SchemaName;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The data was moved to a cluster whose transaction ids are lower: the events up to the floor have ids from 900,000,001
 * on, those after it the ids of this server.
 */
class EventStatusErasTest {

    private static final long FORMER = 900_000_000;

    private TestDatabase database;
    private TroubleRows rows;
    private EventStatuses statuses;
    private List<Long> former;

    @BeforeEach
    void moveFourEvents() {
        database = TestDatabase.create();
        rows = new TroubleRows(database);
        statuses = new EventStatuses(database.dataSource(), SchemaName.DEFAULT);
        former = Arrays.asList(
                rows.eventOf(FORMER + 1, "k"),
                rows.eventOf(FORMER + 2, "k"),
                rows.eventOf(FORMER + 3, "k"),
                rows.eventOf(FORMER + 4, "k"));
    }

    /** What Rebase leaves. */
    private void startEra() {
        database.execute("UPDATE posthorn.cluster SET era = 1, floor_seq = " + former.get(3));
        database.execute("INSERT INTO posthorn.era VALUES (1, " + former.get(3) + ")");
    }

    /** As of the former cluster, where a transaction n had ended in snapshots from n + 1 on. */
    private static String formerSnapshot(int ended) {
        long next = FORMER + ended + 1;
        return next + ":" + next + ":";
    }

    private List<Status> statusOfFormer() {
        return former.stream().map(this::status).toList();
    }

    private Status status(long seq) {
        return statuses.of(rows.id(seq)).orElseThrow().overall().orElseThrow();
    }

    @Test
    void whileALaneDrainsItsOldMarkCountsAndSoDoesItsPlaceInTheDrain() {
        long subscription = rows.subscription("billing");
        rows.generation(subscription, 1, 1, formerSnapshot(0), "");
        startEra();
        String b = rows.snapshot();
        long lane = rows.lane(subscription, 1, 0, NOTHING, b, 0);
        database.execute("INSERT INTO posthorn.lane_drain VALUES (%d, '%s', '%s', %d, %d, 0, %d)"
                .formatted(lane, formerSnapshot(1), formerSnapshot(3), former.get(1), former.get(2), former.get(3)));
        long recent = rows.event("k");

        assertThat(statusOfFormer()).containsExactly(DELIVERED, DELIVERED, PENDING, PENDING);
        rows.mark(subscription, "high_seq = " + former.get(2));
        assertThat(statusOfFormer()).containsExactly(DELIVERED, DELIVERED, SENDING, PENDING);
        rows.mark(subscription, "seq = " + former.get(2));
        assertThat(statusOfFormer()).containsExactly(DELIVERED, DELIVERED, DELIVERED, PENDING);
        assertThat(status(recent)).isEqualTo(PENDING);

        rows.mark(subscription, b, b, 0);
        assertThat(statusOfFormer()).containsOnly(DELIVERED);
        assertThat(status(recent)).isEqualTo(PENDING);
        String c = rows.snapshot();
        rows.mark(subscription, c, c, 0);
        assertThat(status(recent)).isEqualTo(DELIVERED);
    }

    @Test
    void whatTheOldMarkNeverReadIsNotSettledWhateverItsTransactionId() {
        long subscription = rows.subscription("billing");
        rows.generation(subscription, 1, 1, NOTHING, "");
        startEra();
        long lane = rows.lane(subscription, 1, 0, NOTHING, rows.snapshot(), 0);
        database.execute("INSERT INTO posthorn.lane_drain VALUES (%d, '%s', '%2$s', 0, %d, 0, %d)"
                .formatted(lane, formerSnapshot(4), former.get(1), former.get(3)));
        assertThat(statusOfFormer()).containsExactly(DELIVERED, DELIVERED, PENDING, PENDING);
    }

    @Test
    void aGenerationOfTheFormerEraKeepsItsBeginning() {
        long subscription = rows.subscription("billing");
        rows.generation(subscription, 1, 1, formerSnapshot(2), "");
        startEra();
        String b = rows.snapshot();
        rows.lane(subscription, 1, 0, b, b, 0);
        long recent = rows.event("k");
        assertThat(statuses.of(rows.id(former.get(1))).orElseThrow().subscriptions())
                .isEmpty();
        assertThat(status(former.get(2))).isEqualTo(DELIVERED);
        assertThat(status(recent)).isEqualTo(PENDING);
    }

    @Test
    void aSubscriptionOfThisEraHasEarlierEventsOnlyIfItBeganWithTheLog() {
        startEra();
        String b = rows.snapshot();
        rows.subscriptionAt("from now on", b);
        assertThat(statuses.of(rows.id(former.get(3))).orElseThrow().subscriptions())
                .isEmpty();

        long everything = rows.subscription("everything");
        rows.generation(everything, 1, 1, NOTHING, ", start_b = '" + b + "'");
        rows.lane(everything, 1, 0, NOTHING, b, former.get(0));
        rows.mark(everything, "high_seq = " + former.get(1));
        assertThat(statusOfFormer()).containsExactly(DELIVERED, SENDING, PENDING, PENDING);
    }

    @Test
    void inTheFirstWindowSinceCountsForEarlierErasToo() {
        startEra();
        String b = rows.snapshot();
        database.execute("UPDATE posthorn.event SET created_at = '2020-01-01Z' WHERE seq = " + former.get(0));
        long subscription = rows.subscription("billing");
        rows.generation(subscription, 1, 1, NOTHING, ", start_b = '" + b + "', since = '2021-01-01Z'");
        rows.lane(subscription, 1, 0, NOTHING, b, 0);
        assertThat(statuses.of(rows.id(former.get(0))).orElseThrow().subscriptions())
                .isEmpty();
        assertThat(status(former.get(1))).isEqualTo(PENDING);
    }

    @Test
    void deliveredAtIsThatOfTheReceiptOfTheEraInWhichItWasSettled() {
        long subscription = rows.subscription("billing");
        rows.generation(subscription, 1, 1, NOTHING, "");
        rows.laneWithoutMark(subscription, 1, 0);
        rows.receipt(subscription, formerSnapshot(1), formerSnapshot(1), 0, 1, "now() + interval '1 h'");
        startEra();
        String b = rows.snapshot();
        database.execute("INSERT INTO posthorn.lane_mark (lane_id, a, b) SELECT id, '%s', '%1$s' FROM posthorn.lane"
                .formatted(b));
        rows.receipt(subscription, NOTHING, b, former.get(1), 1, "now() + interval '2 h'");
        rows.receipt(subscription, b, b, 0, 2, "now() + interval '3 h'");
        assertThat(database.value("""
                        SELECT string_agg(round(extract(epoch FROM delivered_at - now()) / 3600)::text, ' ' ORDER BY seq)
                          FROM posthorn.event_status
                        """)).isEqualTo("1 2 3 3");
    }

    @Test
    void aReceiptOfTheFormerEraSaysNothingAboutEventsOfThisOne() {
        long subscription = rows.subscription("billing");
        rows.generation(subscription, 1, 1, NOTHING, "");
        rows.laneWithoutMark(subscription, 1, 0);
        rows.receipt(subscription, formerSnapshot(1), formerSnapshot(1), 0, 1, "now() + interval '1 h'");
        startEra();
        long recent = rows.event("k");
        String b = rows.snapshot();
        database.execute("INSERT INTO posthorn.lane_mark (lane_id, a, b) SELECT id, '%s', '%1$s' FROM posthorn.lane"
                .formatted(b));
        assertThat(status(recent)).isEqualTo(DELIVERED);
        assertThat(database.value("SELECT delivered_at FROM posthorn.event_status WHERE seq = " + recent))
                .isNull();
    }
}
