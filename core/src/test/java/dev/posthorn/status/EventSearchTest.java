package dev.posthorn.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.log.SchemaName;
import dev.posthorn.subscription.Attempt;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class EventSearchTest {

    private final TestDatabase database = TestDatabase.create();
    private final TroubleRows rows = new TroubleRows(database);
    private final EventSearch search = new EventSearch(database.dataSource(), SchemaName.DEFAULT);
    private final String beginning = rows.snapshot();

    private List<Long> find(UnaryOperator<EventQuery.Builder> fields) {
        EventPage page = search.find(fields.apply(EventQuery.builder()).build());
        assertThat(page.next()).isNull();
        return page.events().stream().map(EventSummary::seq).toList();
    }

    /** All pages, one after the other. */
    private List<Long> pages(int size, UnaryOperator<EventQuery.Builder> fields) {
        List<Long> all = new ArrayList<>();
        Long next = Long.MAX_VALUE;
        while (next != null) {
            EventPage page = search.find(fields.apply(EventQuery.builder())
                    .pageSize(size)
                    .after(next)
                    .build());
            assertThat(page.events()).hasSizeLessThanOrEqualTo(size);
            page.events().forEach(event -> all.add(event.seq()));
            next = page.next();
        }
        return all;
    }

    private void settleAll(long subscription) {
        String now = rows.snapshot();
        rows.mark(subscription, now, now, 0);
    }

    @Test
    void theNewestEventsComeFirstAndEachOnOnePage() {
        List<Long> newestFirst = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            newestFirst.add(0, rows.event("k" + i));
        }
        assertThat(find(q -> q)).isEqualTo(newestFirst);
        for (int size : new int[] {1, 2, 3, 7, 8}) {
            assertThat(pages(size, q -> q)).isEqualTo(newestFirst);
        }
    }

    @Test
    void aFullPageAtTheEndIsTheLastOne() {
        rows.event("a");
        rows.event("b");
        assertThat(search.find(EventQuery.builder().pageSize(2).build()).next()).isNull();
    }

    @Test
    void typesAndSourcesAreExactNamesOrPatterns() {
        long placed = rows.event("order.placed", "a");
        long paid = rows.event("order.paid", "a");
        long user = rows.event("user_created", "b");
        assertThat(find(q -> q.type("order.placed"))).containsExactly(placed);
        assertThat(find(q -> q.type("order.*"))).containsExactly(paid, placed);
        assertThat(find(q -> q.type("*ed"))).containsExactly(user, placed);
        assertThat(find(q -> q.type("user%created"))).isEmpty();
        rows.event("userXcreated", "c");
        assertThat(find(q -> q.type("user_created"))).containsExactly(user);
        assertThat(find(q -> q.source("te*").key("b"))).containsExactly(user);
        assertThat(find(q -> q.source("other"))).isEmpty();
    }

    @Test
    void timesAreFoundExactlyWhereverTheyLie() {
        Instant start = Instant.parse("2026-01-01T00:00:00Z");
        List<Long> seqs = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            seqs.add(rows.event("k"));
        }
        for (int i = 0; i < 40; i++) {
            database.execute("UPDATE posthorn.event SET created_at = '%s' WHERE seq = %d"
                    .formatted(start.plus(Duration.ofMinutes(10L * i)), seqs.get(i)));
        }
        for (int from : new int[] {0, 1, 7, 39}) {
            for (int to : new int[] {1, 8, 39, 40}) {
                if (from < to) {
                    List<Long> expected = new ArrayList<>(seqs.subList(from, to));
                    Collections.reverse(expected);
                    assertThat(find(q -> q.from(start.plus(Duration.ofMinutes(10L * from)))
                                    .to(start.plus(Duration.ofMinutes(10L * to)))))
                            .isEqualTo(expected);
                }
            }
        }
        assertThat(find(q -> q.from(start.plus(Duration.ofDays(9))))).isEmpty();
        assertThat(find(q -> q.to(start))).isEmpty();
    }

    @Test
    void timesThatAreALittleOutOfOrderAreFoundAllTheSame() {
        Instant start = Instant.parse("2026-01-01T00:00:00Z");
        int[] seconds = {0, 50, 10, 60, 30, 90, 70};
        List<Long> seqs = new ArrayList<>();
        for (int second : seconds) {
            long seq = rows.event("k");
            seqs.add(seq);
            database.execute("UPDATE posthorn.event SET created_at = '%s' WHERE seq = %d"
                    .formatted(start.plusSeconds(second), seq));
        }
        assertThat(find(q -> q.from(start.plusSeconds(50)).to(start.plusSeconds(61))))
                .containsExactly(seqs.get(3), seqs.get(1));
    }

    @Test
    void everyStatusIsFoundAndNothingElse() {
        long billing = rows.subscriptionAt("billing", beginning);
        long delivered = rows.event("a");
        long failed = rows.event("b");
        long discarded = rows.event("c");
        long held = rows.event("d");
        long waiting = rows.event("e");
        rows.deadLetter(billing, failed, "E", "m", "m");
        long letter = rows.deadLetter(billing, discarded, "E", "m", "m");
        database.execute(
                "UPDATE posthorn.dead_letter SET discarded_at = now(), discarded_by = 'ann' WHERE id = " + letter);
        rows.delivery(billing, held, "HELD", 0);
        rows.delivery(billing, waiting, "WAITING", 2);
        settleAll(billing);
        long sending = rows.event("f");
        String sent = rows.snapshot();
        long pending = rows.event("g");
        rows.mark(billing, "high_a = '%1$s', high_b = '%1$s'".formatted(sent));

        for (boolean named : new boolean[] {true, false}) {
            UnaryOperator<EventQuery.Builder> of = q -> named ? q.subscription("billing") : q;
            assertThat(find(q -> of.apply(q.status(Status.DELIVERED)))).containsExactly(delivered);
            assertThat(find(q -> of.apply(q.status(Status.FAILED)))).containsExactly(failed);
            assertThat(find(q -> of.apply(q.status(Status.DISCARDED)))).containsExactly(discarded);
            assertThat(find(q -> of.apply(q.status(Status.HELD)))).containsExactly(held);
            assertThat(find(q -> of.apply(q.status(Status.SENDING)))).containsExactly(sending);
            assertThat(find(q -> of.apply(q.status(Status.PENDING)))).containsExactly(pending, waiting);
            assertThat(pages(1, q -> of.apply(q.status(Status.PENDING)))).containsExactly(pending, waiting);
        }
        assertThat(find(q -> q.status(Status.PENDING).key("e"))).containsExactly(waiting);
        assertThat(find(q -> q.status(Status.FAILED).key("e"))).isEmpty();
    }

    @Test
    void theStatusIsThatOfTheSubscriptionAskedFor() {
        long billing = rows.subscriptionAt("billing", beginning);
        long audit = rows.subscription("audit");
        rows.generation(audit, 1, 1, beginning, ", types = '{order%}'");
        rows.lane(audit, 1, 0, beginning, beginning, 0);
        long order = rows.event("order.placed", "a");
        long user = rows.event("user.created", "b");
        rows.deadLetter(billing, order, "E", "m", "m");
        settleAll(audit);

        assertThat(find(q -> q.subscription("audit"))).containsExactly(order);
        assertThat(find(q -> q.subscription("billing"))).containsExactly(user, order);
        assertThat(find(q -> q.subscription("audit").status(Status.FAILED))).isEmpty();
        assertThat(find(q -> q.subscription("audit").status(Status.DELIVERED))).containsExactly(order);
        assertThat(find(q -> q.status(Status.DELIVERED))).containsExactly(order);
        EventSummary told =
                search.find(EventQuery.builder().key("a").build()).events().get(0);
        assertThat(told.subscriptions())
                .extracting(SubscriptionStatus::subscription, SubscriptionStatus::status)
                .containsExactly(tuple("audit", Status.DELIVERED), tuple("billing", Status.FAILED));
        assertThat(told.overall()).contains(Status.FAILED);
    }

    @Test
    void aSubscriptionThatDoesNotExistIsNamed() {
        assertThatThrownBy(() -> find(q -> q.subscription("nobody")))
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
                .hasMessageContaining("nobody");
    }

    /** A transaction that ends late has low numbers, so the merge has to go beyond the last row that was read. */
    @Test
    void rowsOfManySubscriptionsAreMergedWithWhatIsUnsettledWithoutALoss() {
        long one = rows.subscriptionAt("one", beginning);
        long two = rows.subscriptionAt("two", beginning);
        List<Long> expected = new ArrayList<>();
        expected.add(rows.eventOf(1_000_000_000_000L, "straggler"));
        for (int i = 0; i < EventTrail.ROW_SLICE; i++) {
            expected.add(0, rows.event("k"));
        }
        settleAll(one);
        settleAll(two);
        database.execute("""
                INSERT INTO posthorn.delivery (lane_id, seq, event_id, key, state, due_at)
                SELECT n.id, e.seq, e.id, e.key, CASE s.name WHEN 'one' THEN 'WAITING' ELSE 'HELD' END,
                       CASE s.name WHEN 'one' THEN now() END
                  FROM posthorn.event e CROSS JOIN posthorn.subscription s
                  JOIN posthorn.lane n ON n.subscription_id = s.id WHERE e.key = 'k'
                """);
        assertThat(pages(300, q -> q.status(Status.HELD))).isEqualTo(expected.subList(0, EventTrail.ROW_SLICE));
        expected.add(0, rows.event("newest"));
        // An odd number of rows, so that a look ends between the two rows of an event.
        rows.delivery(one, expected.get(0), "WAITING", 1);
        assertThat(pages(300, q -> q.status(Status.HELD))).isEqualTo(expected.subList(1, EventTrail.ROW_SLICE + 1));
        assertThat(pages(300, q -> q.status(Status.PENDING))).isEqualTo(expected);
        assertThat(pages(1_000, q -> q.status(Status.PENDING))).isEqualTo(expected);
    }

    @Test
    void whatRetentionHasTakenFromTheLogIsFoundByItsStatus() {
        long billing = rows.subscriptionAt("billing", beginning);
        long failed = rows.event("a");
        long held = rows.event("b");
        UUID failedId = rows.id(failed);
        UUID heldId = rows.id(held);
        rows.deadLetter(billing, failed, "E", "m", "m");
        rows.attempt(billing, failed, 1, "REJECT", "now()");
        rows.delivery(billing, held, "HELD", 0);
        database.execute("INSERT INTO posthorn.kept_event SELECT * FROM posthorn.event WHERE seq = " + held);
        database.execute("DELETE FROM posthorn.event");
        settleAll(billing);

        assertThat(find(q -> q)).isEmpty();
        assertThat(find(q -> q.status(Status.FAILED).from(Instant.EPOCH))).containsExactly(failed);
        assertThat(find(q -> q.status(Status.HELD))).containsExactly(held);
        FullEvent letter = search.get(failedId, null).orElseThrow();
        assertThat(letter.overall()).contains(Status.FAILED);
        assertThat(letter.event().event().headers()).containsEntry("tenant", "7");
        assertThat(letter.attempts().values())
                .singleElement()
                .satisfies(made -> assertThat(made).extracting(Attempt::outcome).containsExactly("REJECT"));
        assertThat(search.get(heldId, "test").orElseThrow().overall()).contains(Status.HELD);
        assertThat(search.get(UUID.randomUUID(), null)).isEmpty();
    }

    @Test
    void anIdThatSeveralSourcesUseNeedsItsSource() {
        UUID id = UUID.randomUUID();
        for (String source : new String[] {"shop", "erp"}) {
            database.record(
                    Event.builder().id(id).source(source).type("t").json("{}").build());
        }
        assertThatThrownBy(() -> search.get(id, null))
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
                .hasMessageContaining("erp, shop");
        assertThat(search.get(id, "erp").orElseThrow().event().event().source()).isEqualTo("erp");
        assertThat(search.get(id, "crm")).isEmpty();
    }

    @Test
    void fieldsThatCannotBeMetAreRefusedByName() {
        assertThatThrownBy(() -> EventQuery.builder().type("")).hasMessageContaining("type is empty");
        assertThatThrownBy(() -> EventQuery.builder().key("a\0")).hasMessageContaining("key holds a NUL");
        assertThatThrownBy(() -> EventQuery.builder().key("\ud800")).hasMessageContaining("key holds a NUL or half");
        assertThatThrownBy(() -> EventQuery.builder().pageSize(1_001)).hasMessageContaining("limit is 1001");
        assertThatThrownBy(() -> EventQuery.builder()
                        .from(Instant.EPOCH.plusSeconds(1))
                        .to(Instant.EPOCH)
                        .build())
                .hasMessageContaining("from must be before to");
        assertThatThrownBy(() -> EventQuery.builder().from(Instant.MAX)).hasMessageContaining("years 1 to 9999");
    }
}
