package dev.posthorn.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.log.SchemaName;
import dev.posthorn.replay.Preview.Age;
import dev.posthorn.replay.Preview.Concern;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReplayPreviewTest {

    private ReplayRows rows;
    private Replays replays;

    @BeforeEach
    void createDatabase() {
        rows = new ReplayRows();
        replays = new Replays(rows.database.dataSource(), SchemaName.DEFAULT);
    }

    private Preview preview(ReplayRequest.Builder request) {
        return replays.preview(request.build());
    }

    private Preview all() {
        return preview(ReplayRequest.ofQuery(DeadLetterQuery.OPEN));
    }

    @Test
    void itTellsHowManyOfWhatAndHowOld() {
        long[] letters = {
            rows.letter(rows.billing, "order.placed", "a"),
            rows.letter(rows.billing, "order.paid", "b"),
            rows.letter(rows.shipping, "order.placed", "c"),
            rows.letter(rows.shipping, "order.placed", "d"),
            rows.letter(rows.shipping, "order.placed", "e")
        };
        age(letters[0], "59 minutes");
        age(letters[1], "23 hours");
        age(letters[2], "6 days");
        age(letters[3], "8 days");
        replays.start(ReplayRequest.ofDeadLetter(letters[4]).build(), Actor.named("ann"));
        Preview preview = preview(ReplayRequest.ofQuery(DeadLetterQuery.OPEN).reasonAbove(4));
        assertThat(preview.count()).isEqualTo(4);
        assertThat(preview.skipped()).isEqualTo(Map.of("already-replaying", 1L));
        assertThat(preview.subscriptions()).isEqualTo(Map.of("billing", 2L, "shipping", 2L));
        assertThat(preview.types()).isEqualTo(Map.of("order.placed", 3L, "order.paid", 1L));
        assertThat(preview.ages())
                .isEqualTo(Map.of(Age.LAST_HOUR, 1L, Age.LAST_DAY, 1L, Age.LAST_WEEK, 1L, Age.OLDER, 1L));
        assertThat(preview.needsReason()).isTrue();
        assertThat(preview.warnings()).isEmpty();
        assertThat(rows.database.number("SELECT count(*) FROM posthorn.replay"))
                .as("it starts nothing")
                .isEqualTo(1);
    }

    private void age(long letter, String age) {
        rows.database.execute(
                "UPDATE posthorn.dead_letter SET recorded_at = posthorn.clock() - interval '%s' WHERE id = %d"
                        .formatted(age, letter));
    }

    @Test
    void itWarnsOfKeysWhoseLaterEventsWereDelivered() {
        rows.letter(rows.billing, "order.placed", "a");
        rows.letter(rows.billing, "order.placed", "b");
        rows.letter(rows.billing, "order.paid", "b");
        rows.rows.event("order.paid", "a");
        assertThat(all().warnings()).as("not settled").isEmpty();
        rows.settleAll(rows.billing);
        assertThat(all().warnings()).hasSize(1);
        assertThat(all().warnings().get(0).concern()).isEqualTo(Concern.LATER_EVENTS_DELIVERED);
        assertThat(all().warnings().get(0).text()).startsWith("for subscription billing, 1 keys have later events");
    }

    @Test
    void itWarnsOfWhoIsPausedOrDoesNotAnswer() {
        rows.letter(rows.billing);
        rows.letter(rows.shipping);
        rows.database.execute(
                "UPDATE posthorn.subscription SET paused = true, pause_reason = 'gone' WHERE name = 'billing'");
        rows.database.execute("INSERT INTO posthorn.lane_gauge (lane_id, breaker_since, breaker_reason)"
                + " SELECT id, now(), 'Connection refused' FROM posthorn.lane WHERE subscription_id = "
                + rows.shipping);
        assertThat(all().warnings())
                .extracting(Preview.Warning::concern)
                .containsExactly(Concern.SUBSCRIPTION_PAUSED, Concern.BREAKER_OPEN);
        assertThat(all().warnings().get(0).text()).startsWith("subscription billing is paused (gone); nothing is sent");
        assertThat(all().warnings().get(1).text()).contains("shipping does not answer since", "Connection refused");
    }

    @Test
    void itWarnsOfWhatConsumersMayHaveForgotten() {
        age(rows.letter(rows.billing), "31 days");
        rows.letter(rows.billing);
        assertThat(all().warnings()).hasSize(1);
        assertThat(all().warnings().get(0).concern()).isEqualTo(Concern.OLDER_THAN_DEDUP_PERIOD);
        assertThat(all().warnings().get(0).text()).startsWith("1 events are older than 30 days");
        assertThat(preview(ReplayRequest.ofQuery(DeadLetterQuery.OPEN).dedupPeriod(Duration.ofDays(40)))
                        .warnings())
                .isEmpty();
    }

    @Test
    void itWarnsOfIdsThatAreNoLettersAnyMore() {
        long letter = rows.letter(rows.billing);
        Preview preview = preview(ReplayRequest.ofDeadLetters(List.of(letter, 4711L)));
        assertThat(preview.count()).isEqualTo(1);
        assertThat(preview.warnings()).extracting(Preview.Warning::concern).containsExactly(Concern.IDS_NOT_FOUND);
    }

    @Test
    void itWarnsOfWhatTheLogIsAboutToDropOrHasDropped() {
        rows.rows.event("k");
        rows.settleAll(rows.billing);
        Instant now = Instant.now();
        ReplayRequest.Builder day = ReplayRequest.ofHistory(
                "billing", now.minus(Duration.ofDays(1)), now.plus(Duration.ofDays(1)), List.of(), null, null);
        assertThat(preview(day).warnings()).isEmpty();
        rows.database.execute("UPDATE posthorn.event SET created_at = created_at - interval '23 hours'");
        assertThat(preview(day.logRetention(Duration.ofDays(1))).warnings())
                .extracting(Preview.Warning::concern)
                .containsExactly(Concern.RETENTION);
        assertThat(preview(day.logRetention(Duration.ofDays(7))).warnings()).isEmpty();
        rows.database.execute("UPDATE posthorn.event_partition SET from_seq = 2, passed_xid = '1', passed_era = 0,"
                + " passed_at = now()");
        assertThat(preview(day.logRetention(null)).warnings())
                .as("nobody said for how long events are kept")
                .extracting(Preview.Warning::concern)
                .containsExactly(Concern.RETENTION, Concern.LOG_BEGINS_LATER);
    }
}
