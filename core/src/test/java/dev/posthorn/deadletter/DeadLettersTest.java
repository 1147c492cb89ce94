package dev.posthorn.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.deadletter.DeadLetterQuery.State;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.SchemaName;
import dev.posthorn.sink.Reply;
import dev.posthorn.subscription.Attempt;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DeadLettersTest {

    private TestDatabase database;
    private TroubleRows rows;
    private DeadLetters letters;
    private long billing;
    private long shipping;

    @BeforeEach
    void createDatabase() {
        database = TestDatabase.create();
        rows = new TroubleRows(database);
        letters = new DeadLetters(database.dataSource(), SchemaName.DEFAULT);
        String a = rows.snapshot();
        billing = rows.subscriptionAt("billing", a);
        shipping = rows.subscriptionAt("shipping", a);
    }

    private long letter(long subscription, String type, String key, String failedAt) {
        long id = rows.deadLetter(subscription, rows.event(type, key), "HTTP 400", "no order 17", "no order #");
        database.execute("UPDATE posthorn.dead_letter SET last_failed_at = '" + failedAt + "' WHERE id = " + id);
        return id;
    }

    private List<Long> find(UnaryOperator<DeadLetterQuery.Builder> query) {
        DeadLetterPage page =
                letters.find(query.apply(DeadLetterQuery.builder()).build());
        return page.letters().stream().map(DeadLetter::id).toList();
    }

    @Test
    void everyFieldOfAQueryNarrowsIt() {
        long one = letter(billing, "order.placed", "k1", "2026-01-01Z");
        long two = letter(shipping, "order.paid", "k2", "2026-02-01Z");
        database.execute("UPDATE posthorn.dead_letter SET error_class = 'HTTP 500', error_message = '50% Off_limits',"
                + " cause = 'off limits', attempts = 9, source = 'shop', replays = 1 WHERE id = " + two);
        UUID eventId = letters.get(one).letter().eventId();

        assertThat(find(q -> q)).containsExactly(two, one);
        assertThat(find(q -> q.id(one))).containsExactly(one);
        assertThat(find(q -> q.ids(List.of(one, two, 4711L)))).containsExactly(two, one);
        assertThat(find(q -> q.ids(List.of(one, two)).type("order.paid"))).containsExactly(two);
        assertThat(find(q -> q.replayed(false))).containsExactly(one);
        assertThat(find(q -> q.replayed(true))).containsExactly(two);
        assertThat(find(q -> q.key("k2").from(Instant.parse("2026-02-01T00:00:00Z"))))
                .containsExactly(two);
        assertThat(find(q -> q.key("k2").to(Instant.parse("2026-02-01T00:00:00Z"))))
                .isEmpty();
        assertThat(find(q -> q.eventId(eventId))).containsExactly(one);
        assertThat(find(q -> q.subscription("billing"))).containsExactly(one);
        assertThat(find(q -> q.subscription("billing").errorClass("HTTP 400").cause("no order #")))
                .containsExactly(one);
        assertThat(find(q -> q.subscription("shipping").errorClass("HTTP 400").cause("no order #")))
                .isEmpty();
        assertThat(find(q -> q.errorMessage("ORDER"))).containsExactly(one);
        assertThat(find(q -> q.errorMessage("0% off_l"))).containsExactly(two);
        assertThat(find(q -> q.errorMessage("0_ off"))).isEmpty();
        assertThat(find(q -> q.errorClass("HTTP 500"))).containsExactly(two);
        assertThat(find(q -> q.cause("no order #"))).containsExactly(one);
        assertThat(find(q -> q.type("order.paid"))).containsExactly(two);
        assertThat(find(q -> q.key("k1"))).containsExactly(one);
        assertThat(find(q -> q.source("shop"))).containsExactly(two);
        assertThat(find(q -> q.from(Instant.parse("2026-01-01T00:00:00Z")))).containsExactly(two, one);
        assertThat(find(q -> q.from(Instant.parse("2026-01-01T00:00:01Z")))).containsExactly(two);
        assertThat(find(q -> q.to(Instant.parse("2026-02-01T00:00:00Z")))).containsExactly(one);
        assertThat(find(q -> q.attemptsAtLeast(9))).containsExactly(two);
        assertThat(find(q -> q.attemptsAtLeast(9).subscription("billing"))).isEmpty();
    }

    @Test
    void discardedLettersAreShownToThoseWhoAsk() {
        long open = letter(billing, "t", "k", "2026-01-01Z");
        long discarded = letter(billing, "t", "k", "2026-01-02Z");
        database.execute("UPDATE posthorn.dead_letter SET discarded_at = '2026-01-03Z', discarded_by = 'ann',"
                + " discard_reason = 'a test order' WHERE id = " + discarded);
        assertThat(find(q -> q)).containsExactly(open);
        assertThat(find(q -> q.state(State.DISCARDED))).containsExactly(discarded);
        assertThat(find(q -> q.state(State.ANY))).containsExactly(discarded, open);
        DeadLetter letter = letters.get(discarded).letter();
        assertThat(letter.isOpen()).isFalse();
        assertThat(letter.discard())
                .isEqualTo(new DeadLetter.Discard(Instant.parse("2026-01-03T00:00:00Z"), "ann", "a test order"));
    }

    @Test
    void pagesNeitherRepeatNorMissALetterWhileNewOnesArrive() {
        List<Long> there = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            // Three of one time each: the id decides.
            there.add(0, letter(billing, "t", "k", "2026-01-01 00:00:0" + i / 3 + ".123456Z"));
        }
        List<Long> seen = new ArrayList<>();
        String cursor = null;
        do {
            DeadLetterPage page = letters.find(
                    DeadLetterQuery.builder().pageSize(2).cursor(cursor).build());
            page.letters().forEach(letter -> seen.add(letter.id()));
            cursor = page.cursor();
            letter(billing, "t", "k", "2026-03-01Z");
        } while (cursor != null);
        assertThat(seen).isEqualTo(there);
        assertThat(letters.find(DeadLetterQuery.builder().pageSize(11).build()).cursor())
                .as("the last page, though full")
                .isNull();
    }

    @Test
    void aLetterIsReadWithItsPayloadHeadersAndAttempts() {
        long seq = rows.event("order.placed", "k");
        long id = rows.deadLetter(billing, seq, "HTTP 400", "no order 17", "no order #");
        rows.attempt(billing, seq, 2, "REJECT", "'2026-01-01 00:00:30Z'");
        rows.attempt(billing, seq, 1, "RETRY", "'2026-01-01 00:00:00Z'");
        rows.attempt(shipping, seq, 1, "RETRY", "'2026-01-01 00:00:00Z'");
        database.execute(
                "UPDATE posthorn.attempt SET reply_code = 503, reply = 'come back later' WHERE outcome = 'RETRY'");
        FullDeadLetter full = letters.get(id);
        assertThat(full.letter().subscription()).isEqualTo("billing");
        assertThat(full.letter().seq()).isEqualTo(seq);
        assertThat(full.letter().aggregateType()).isEqualTo("order");
        assertThat(full.letter().cause()).isEqualTo("no order #");
        assertThat(full.event().seq()).isEqualTo(seq);
        assertThat(full.event().event().id()).isEqualTo(rows.id(seq));
        assertThat(new String(full.event().event().payload(), UTF_8)).isEqualTo("{\"n\": 1}");
        assertThat(full.event().event().headers()).containsEntry("tenant", "7").hasSize(1);
        assertThat(full.attempts()).hasSize(2);
        assertThat(full.attempts().get(0))
                .isEqualTo(new Attempt(
                        1,
                        Instant.parse("2026-01-01T00:00:00Z"),
                        Duration.ofMillis(1500),
                        "RETRY",
                        "HTTP 503",
                        "busy",
                        new Reply(503, "come back later"),
                        "one"));
        assertThat(full.attempts().get(1).outcome()).isEqualTo("REJECT");
    }

    @Test
    void causesAreCountedWithASample() {
        letter(billing, "order.placed", "a", "2026-01-01Z");
        long second = letter(billing, "order.paid", "b", "2026-01-03Z");
        long other = letter(shipping, "order.placed", "c", "2026-01-02Z");
        database.execute("UPDATE posthorn.dead_letter SET first_failed_at = last_failed_at");
        database.execute("UPDATE posthorn.dead_letter SET error_message = 'no order 18' WHERE id = " + second);
        List<DeadLetterGroup> groups = letters.groups(DeadLetterQuery.OPEN).groups();
        assertThat(groups)
                .containsExactly(
                        new DeadLetterGroup(
                                "billing",
                                "HTTP 400",
                                "no order #",
                                2,
                                Instant.parse("2026-01-01T00:00:00Z"),
                                Instant.parse("2026-01-03T00:00:00Z"),
                                List.of("order.paid", "order.placed"),
                                second,
                                "no order 18",
                                null),
                        new DeadLetterGroup(
                                "shipping",
                                "HTTP 400",
                                "no order #",
                                1,
                                Instant.parse("2026-01-02T00:00:00Z"),
                                Instant.parse("2026-01-02T00:00:00Z"),
                                List.of("order.placed"),
                                other,
                                "no order 17",
                                null));
        assertThat(letters.groups(DeadLetterQuery.builder().type("order.paid").build())
                        .groups())
                .extracting(DeadLetterGroup::count)
                .containsExactly(1L);
    }

    @Test
    void aGroupNamesFiveTypesAtMost() {
        for (int i = 0; i < 7; i++) {
            letter(billing, "t" + i, "k", "2026-01-01Z");
        }
        assertThat(letters.groups(DeadLetterQuery.OPEN).groups().get(0).types()).hasSize(5);
    }

    @Test
    void aLetterThatIsBeingSentAgainSaysByWhichReplay() {
        long seq = rows.event("t", "k");
        long id = rows.deadLetter(billing, seq, "E", "m", "m");
        assertThat(letters.get(id).replaying()).isFalse();
        database.execute("INSERT INTO posthorn.replay_item (replay_id, subscription_id, seq, event_id, key_hash, state)"
                + " SELECT 7, subscription_id, seq, event_id, 0, 'PENDING' FROM posthorn.dead_letter");
        assertThat(letters.get(id).replaying()).isTrue();
        assertThat(letters.get(id).replay()).isEqualTo(7);
        database.execute("DELETE FROM posthorn.replay_item");
        rows.delivery(billing, seq, "WAITING", 0);
        database.execute("UPDATE posthorn.delivery SET dead_letter_id = " + id);
        assertThat(letters.get(id).replaying()).isTrue();
        assertThat(letters.get(id).replay()).isNull();
    }

    @Test
    void aSubscriptionThatDoesNotExistIsNotOneWithoutLetters() {
        DeadLetterQuery misspelt =
                DeadLetterQuery.builder().subscription("biling").build();
        for (ThrowingCallable look : List.<ThrowingCallable>of(
                () -> letters.find(misspelt), () -> letters.count(misspelt, 10), () -> letters.groups(misspelt))) {
            assertThatThrownBy(look)
                    .isInstanceOfSatisfying(
                            PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
                    .hasMessageStartingWith("there is no subscription named 'biling'");
        }
    }

    @Test
    void lettersAreCountedUpToABound() {
        for (int i = 0; i < 5; i++) {
            letter(billing, "t" + i % 2, "k", "2026-01-0" + (i + 1) + "Z");
        }
        assertThat(letters.count(DeadLetterQuery.OPEN, 6)).hasToString("5");
        assertThat(letters.count(DeadLetterQuery.OPEN, 5)).hasToString("5");
        assertThat(letters.count(DeadLetterQuery.OPEN, 4)).hasToString("at least 4");
        assertThat(letters.count(DeadLetterQuery.builder().type("t0").build(), 100))
                .hasToString("3");
        String cursor =
                letters.find(DeadLetterQuery.builder().pageSize(3).build()).cursor();
        assertThat(letters.count(DeadLetterQuery.builder().cursor(cursor).build(), 100))
                .as("of all pages")
                .hasToString("5");
    }

    @Test
    void whatMakesNoSenseIsRefusedByName() {
        refused(() -> DeadLetterQuery.builder().pageSize(0), "pageSize is 0; it must be from 1 to 1000");
        refused(() -> DeadLetterQuery.builder().pageSize(1001), "pageSize is 1001; it must be from 1 to 1000");
        refused(() -> DeadLetterQuery.builder().attemptsAtLeast(-1), "attemptsAtLeast is -1; it must be from 0");
        refused(() -> DeadLetterQuery.builder().errorMessage(""), "errorMessage is empty; leave it out instead");
        refused(() -> DeadLetterQuery.builder().key("a\0"), "key holds a NUL character or half a surrogate pair");
        refused(() -> DeadLetterQuery.builder().cause("a\uD800"), "cause holds a NUL character or half");
        refused(() -> DeadLetterQuery.builder().ids(List.of()), "ids has 0 numbers; it must have from 1 to 10000");
        refused(() -> letters.count(DeadLetterQuery.OPEN, 0), "atMost is 0; it must be from 1 to 100000");
        refused(() -> DeadLetterQuery.builder().type("t".repeat(256)), "type has 256 characters; the limit is 255");
        refused(
                () -> DeadLetterQuery.builder().from(Instant.MIN),
                "from is -1000000000-01-01T00:00:00Z; it must be in");
        refused(() -> DeadLetterQuery.builder().cursor("mine"), "cursor 'mine' is not one that a page gave");
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        refused(
                () -> DeadLetterQuery.builder().from(now).to(now).build(),
                "from is 2026-01-01T00:00:00Z and to is 2026-01-01T00:00:00Z; from must be before to");
        assertThatThrownBy(() -> letters.get(4711))
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
                .hasMessageStartingWith("there is no dead letter with id 4711; it may have been replayed with success");
    }

    private static void refused(ThrowingCallable work, String message) {
        assertThatThrownBy(work)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
                .hasMessageStartingWith(message);
    }
}
