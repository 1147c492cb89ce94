package dev.posthorn.status;

import static dev.posthorn.TroubleRows.NOTHING;
import static dev.posthorn.status.Status.DELIVERED;
import static dev.posthorn.status.Status.DISCARDED;
import static dev.posthorn.status.Status.FAILED;
import static dev.posthorn.status.Status.HELD;
import static dev.posthorn.status.Status.PENDING;
import static dev.posthorn.status.Status.SENDING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.KeyHash;
import dev.posthorn.log.SchemaName;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rules of the view, one by one, on rows as lanes write them. */
class EventStatusTest {

    private TestDatabase database;
    private TroubleRows rows;
    private EventStatuses statuses;

    @BeforeEach
    void createDatabase() {
        use(TestDatabase.create());
    }

    private void use(TestDatabase fresh) {
        database = fresh;
        rows = new TroubleRows(database);
        statuses = new EventStatuses(database.dataSource(), SchemaName.DEFAULT);
    }

    private List<SubscriptionStatus> of(long seq) {
        return statuses.of(rows.id(seq)).orElseThrow().subscriptions();
    }

    private SubscriptionStatus only(long seq) {
        List<SubscriptionStatus> all = of(seq);
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private Status status(long seq) {
        return only(seq).status();
    }

    @Test
    void insideAWindowTheMarkTheHighWaterAndTheRestFollowEachOther() {
        windowInThreeParts();
    }

    @Test
    void theSameHoldsOnTheOldestPostgresql() {
        use(TestDatabase.createOnOldest());
        windowInThreeParts();
    }

    private void windowInThreeParts() {
        String a = rows.snapshot();
        long subscription = rows.subscriptionAt("billing", a);
        long first = rows.event("k");
        long second = rows.event("k");
        long third = rows.event("k");
        String b = rows.snapshot();
        long afterwards = rows.event("k");
        assertThat(List.of(status(first), status(afterwards))).containsExactly(PENDING, PENDING);

        rows.mark(subscription, a, b, first);
        rows.mark(subscription, "high_seq = " + second);
        assertThat(List.of(status(first), status(second), status(third), status(afterwards)))
                .containsExactly(DELIVERED, SENDING, PENDING, PENDING);
        assertThat(List.of(
                        only(first).attempts(),
                        only(second).attempts(),
                        only(third).attempts()))
                .containsExactly(1, 1, 0);
    }

    @Test
    void aHighWaterInALaterWindowReachesAllOfThisOne() {
        String a = rows.snapshot();
        long subscription = rows.subscriptionAt("billing", a);
        long first = rows.event("k");
        long second = rows.event("k");
        String b = rows.snapshot();
        long third = rows.event("k");
        long fourth = rows.event("k");
        String c = rows.snapshot();
        rows.mark(subscription, a, b, first);
        rows.mark(subscription, "high_a = '%s', high_b = '%s', high_seq = %d".formatted(b, c, third));
        assertThat(List.of(status(first), status(second), status(third), status(fourth)))
                .containsExactly(DELIVERED, SENDING, SENDING, PENDING);
    }

    @Test
    void anEventThatCommittedLateIsNotSettledByAHigherSeq() throws Exception {
        String a = rows.snapshot();
        long subscription = rows.subscriptionAt("billing", a);
        long late;
        try (var open = database.transaction()) {
            try (var statement = open.createStatement()) {
                statement.execute("INSERT INTO posthorn.event (id, source, type, version, key, content_type, payload,"
                        + " occurred_at) VALUES (gen_random_uuid(), 's', 't', 1, 'k', 'a/b', '', now())");
            }
            late = database.number("SELECT last_value FROM posthorn.event_seq");
            long early = rows.event("k");
            String b = rows.snapshot();
            rows.mark(subscription, b, b, 0);
            assertThat(status(early)).isEqualTo(DELIVERED);
            open.commit();
        }
        assertThat(status(late)).isEqualTo(PENDING);
    }

    @Test
    void eachLaneHasItsOwnMark() {
        String a = rows.snapshot();
        long subscription = rows.subscription("billing");
        rows.generation(subscription, 1, 2, a, "");
        long one = rows.event("one");
        String other = List.of("two", "three", "four", "five", "six", "seven").stream()
                .filter(key -> KeyHash.lane(key, new UUID(0, 0), 2) != KeyHash.lane("one", new UUID(0, 0), 2))
                .findFirst()
                .orElseThrow();
        long two = rows.event(other);
        String b = rows.snapshot();
        int laneOfOne = KeyHash.lane("one", new UUID(0, 0), 2);
        rows.lane(subscription, 1, laneOfOne, b, b, 0);
        rows.lane(subscription, 1, 1 - laneOfOne, a, a, 0);
        assertThat(List.of(status(one), status(two))).containsExactly(DELIVERED, PENDING);
    }

    @Test
    void aSubscriptionHasNoRowForWhatCameBeforeIt() {
        long before = rows.event("k");
        rows.subscriptionAt("from now on", rows.snapshot());
        rows.subscriptionAt("from the beginning", NOTHING);
        long after = rows.event("k");
        assertThat(of(before)).extracting(SubscriptionStatus::subscription).containsExactly("from the beginning");
        assertThat(of(after)).hasSize(2);
    }

    @Test
    void aSubscriptionSinceATimeWantsOlderEventsOnlyIfTheyCameAfterItBegan() throws Exception {
        long older = rows.event("k");
        database.execute("UPDATE posthorn.event SET created_at = '2020-01-01Z' WHERE seq = " + older);
        long younger = rows.event("k");
        long subscription = rows.subscription("billing");
        String b = rows.snapshot();
        rows.generation(subscription, 1, 1, NOTHING, ", start_b = '" + b + "', since = '2021-01-01Z'");
        rows.lane(subscription, 1, 0, NOTHING, b, 0);
        long lateButOld = rows.event("k");
        database.execute("UPDATE posthorn.event SET created_at = '2020-01-01Z' WHERE seq = " + lateButOld);

        assertThat(of(older)).isEmpty();
        assertThat(status(younger)).isEqualTo(PENDING);
        assertThat(status(lateButOld)).isEqualTo(PENDING);
        rows.mark(subscription, NOTHING, b, younger);
        assertThat(status(younger)).isEqualTo(DELIVERED);
    }

    @Test
    void rowsSayWhatTheMarkCannot() {
        String a = rows.snapshot();
        long subscription = rows.subscriptionAt("billing", a);
        long waiting = rows.event("k");
        long held = rows.event("k");
        long deferred = rows.event("d");
        String b = rows.snapshot();
        rows.mark(subscription, b, b, 0);
        rows.delivery(subscription, waiting, "WAITING", 2);
        rows.delivery(subscription, held, "HELD", 0);
        rows.delivery(subscription, deferred, "DEFERRED", 0);

        SubscriptionStatus retried = only(waiting);
        assertThat(retried.status()).isEqualTo(PENDING);
        assertThat(retried.attempts()).isEqualTo(2);
        assertThat(retried.nextAttemptAt()).isEqualTo(Instant.parse("2030-01-01T00:00:00Z"));
        assertThat(retried.errorClass()).isEqualTo("HTTP 503");
        assertThat(retried.errorMessage()).isEqualTo("busy");
        assertThat(retried.deliveredAt()).isNull();
        assertThat(List.of(status(held), status(deferred))).containsExactly(HELD, PENDING);
        assertThat(only(held).nextAttemptAt()).isNull();
        assertThat(only(deferred).nextAttemptAt()).isNotNull();
    }

    @Test
    void aDeadLetterIsFailedUntilItIsReplayedOrDiscarded() {
        long subscription = rows.subscriptionAt("billing", rows.snapshot());
        long seq = rows.event("k");
        String b = rows.snapshot();
        rows.mark(subscription, b, b, 0);
        long letter = rows.deadLetter(subscription, seq, "HTTP 400", "no such order", "no such order");
        assertThat(only(seq))
                .extracting(SubscriptionStatus::status, SubscriptionStatus::attempts, SubscriptionStatus::errorMessage)
                .containsExactly(FAILED, 5, "no such order");

        rows.delivery(subscription, seq, "WAITING", 0);
        assertThat(status(seq)).as("being replayed").isEqualTo(PENDING);

        database.execute("DELETE FROM posthorn.delivery");
        database.execute("UPDATE posthorn.dead_letter SET discarded_at = now(), discarded_by = 'ann',"
                + " discard_reason = 'test' WHERE id = " + letter);
        assertThat(status(seq)).isEqualTo(DISCARDED);

        database.execute("DELETE FROM posthorn.dead_letter");
        assertThat(status(seq)).as("replayed with success").isEqualTo(DELIVERED);
    }

    @Test
    void theFilterThatWasInForceDecides() {
        String a = rows.snapshot();
        long subscription = rows.subscription("billing");
        long placed = rows.event("order.placed", "k");
        long paid = rows.event("order.paid", "k");
        String c = rows.snapshot();
        long placedLater = rows.event("order.placed", "k");
        long paidLater = rows.event("order.paid", "k");
        rows.generation(subscription, 1, 1, a, ", types = '{order.pl%}'");
        rows.generation(subscription, 2, 1, c, ", types = '{order.paid}'");
        rows.generation(subscription, 3, 1, null, ", types = '{nothing}'");
        database.execute("UPDATE posthorn.subscription SET generation = 2");
        rows.laneWithoutMark(subscription, 1, 0);
        rows.lane(subscription, 2, 0, c, c, 0);

        assertThat(status(placed)).as("of an ended generation").isEqualTo(DELIVERED);
        assertThat(of(paid)).isEmpty();
        assertThat(of(placedLater)).isEmpty();
        assertThat(status(paidLater)).isEqualTo(PENDING);
    }

    @Test
    void whatWaitsFromAnEndedGenerationStillWaits() {
        String a = rows.snapshot();
        long subscription = rows.subscription("billing");
        long seq = rows.event("k");
        String c = rows.snapshot();
        rows.generation(subscription, 1, 1, a, "");
        rows.generation(subscription, 2, 2, c, "");
        database.execute("UPDATE posthorn.subscription SET generation = 2");
        rows.laneWithoutMark(subscription, 1, 0);
        rows.lane(subscription, 2, 0, c, c, 0);
        rows.lane(subscription, 2, 1, c, c, 0);
        assertThat(status(seq)).isEqualTo(DELIVERED);
        rows.delivery(subscription, seq, "WAITING", 1);
        assertThat(status(seq)).isEqualTo(PENDING);
    }

    @Test
    void everyListOfTheFilterCountsAndItsEscapesAreLiteral() {
        String a = rows.snapshot();
        for (String filter : List.of(
                "types = '{a\\\\_b}'",
                "types = '{nothing,a%}'",
                "types = '{a%}', aggregate_types = '{order}', sources = '{te%}'",
                "aggregate_types = '{customer}'",
                "sources = '{other}'")) {
            long subscription = rows.subscription(filter.replace("'", ""));
            rows.generation(subscription, 1, 1, a, ", " + filter);
            rows.lane(subscription, 1, 0, a, a, 0);
        }
        long underscore = rows.event("a_b", "k");
        long letter = rows.event("axb", "k");
        assertThat(of(underscore)).hasSize(3);
        assertThat(of(letter))
                .extracting(SubscriptionStatus::subscription)
                .containsExactlyInAnyOrder(
                        "types = {nothing,a%}", "types = {a%}, aggregate_types = {order}, sources = {te%}");
    }

    @Test
    void theHeadersOfTheFilterCount() {
        String a = rows.snapshot();
        for (String headers : List.of("{}", "{\"tenant\": \"7\"}", "{\"tenant\": \"8\"}", "{\"Tenant\": \"7\"}")) {
            long subscription = rows.subscription(headers);
            rows.generation(subscription, 1, 1, a, ", headers = '" + headers + "'");
            rows.lane(subscription, 1, 0, a, a, 0);
        }
        long ofSeven = rows.event("k");
        assertThat(of(ofSeven))
                .extracting(SubscriptionStatus::subscription)
                .containsExactlyInAnyOrder("{}", "{\"tenant\": \"7\"}");
        database.record("k");
        assertThat(of(database.number("SELECT max(seq) FROM posthorn.event")))
                .as("without headers")
                .extracting(SubscriptionStatus::subscription)
                .containsExactly("{}");
    }

    @Test
    void anEventWithoutAggregateTypeIsNotWantedByOneWhoNamesSome() {
        String a = rows.snapshot();
        long subscription = rows.subscription("billing");
        rows.generation(subscription, 1, 1, a, ", aggregate_types = '{%}'");
        rows.lane(subscription, 1, 0, a, a, 0);
        database.record("k");
        assertThat(of(database.number("SELECT max(seq) FROM posthorn.event"))).isEmpty();
    }

    @Test
    void deliveredAtIsThatOfTheAttemptIfThereWasOneElseOfTheFirstReceiptThatCoversIt() {
        String a = rows.snapshot();
        long subscription = rows.subscriptionAt("billing", a);
        long retried = rows.event("r");
        long first = rows.event("k");
        long second = rows.event("k");
        String b = rows.snapshot();
        rows.mark(subscription, b, b, 0);
        rows.receipt(subscription, b, b, 0, 1, "'2020-01-01Z'");
        assertThat(only(first).deliveredAt())
                .as("a receipt from before the event")
                .isNull();

        rows.receipt(subscription, a, b, first, 2, "now() + interval '1 h'");
        rows.receipt(subscription, b, b, 0, 1, "now() + interval '2 h'");
        rows.receipt(subscription, b, b, 0, 1, "now() + interval '3 h'");
        rows.attempt(subscription, retried, 1, "RETRY", "'2031-01-01 00:00:00Z'");
        rows.attempt(subscription, retried, 2, "DELIVERED", "'2031-01-01 00:00:30Z'");
        assertThat(only(second).deliveredAt())
                .isAfter(only(first).deliveredAt().plusSeconds(3500))
                .isBefore(only(first).deliveredAt().plusSeconds(3700));
        assertThat(only(retried).deliveredAt()).isEqualTo(Instant.parse("2031-01-01T00:00:31.500Z"));
        assertThat(only(retried).attempts()).isEqualTo(2);
    }

    /** docs/states.md has the same list. */
    @Test
    void theTimeOfTheStatusIsThatOfWhatMadeIt() {
        sinceWhenForEachStatus();
    }

    @Test
    void theTimeOfTheStatusIsTheSameOnTheOldestPostgresql() {
        use(TestDatabase.createOnOldest());
        sinceWhenForEachStatus();
    }

    private void sinceWhenForEachStatus() {
        String a = rows.snapshot();
        long subscription = rows.subscriptionAt("billing", a);
        long delivered = rows.event("k");
        long retried = rows.event("r");
        long held = rows.event("r");
        long failed = rows.event("f");
        long discarded = rows.event("d");
        long mark = rows.event("m");
        long sending = rows.event("s");
        long pending = rows.event("p");
        String b = rows.snapshot();
        rows.mark(subscription, a, b, mark);
        rows.mark(subscription, "high_seq = " + sending + ", moved_at = '2031-01-01Z'");
        rows.receipt(subscription, a, b, mark, 6, "'2032-01-01Z'");
        rows.delivery(subscription, retried, "WAITING", 2);
        database.execute("UPDATE posthorn.delivery SET failed_at = '2033-01-01Z', changed_at = '2033-01-01Z'");
        rows.delivery(subscription, held, "HELD", 0);
        database.execute("UPDATE posthorn.delivery SET changed_at = '2034-01-01Z' WHERE state = 'HELD'");
        rows.deadLetter(subscription, failed, "E", "m", "m");
        rows.deadLetter(subscription, discarded, "E", "m", "m");
        database.execute("UPDATE posthorn.dead_letter SET last_failed_at = '2035-01-01Z'");
        database.execute("UPDATE posthorn.dead_letter SET discarded_at = '2036-01-01Z' WHERE seq = " + discarded);

        assertThat(only(delivered).lastStatusAt())
                .isEqualTo("2032-01-01T00:00:00Z")
                .isEqualTo(only(delivered).deliveredAt());
        assertThat(only(sending).lastStatusAt()).as("its lane moved then").isEqualTo("2031-01-01T00:00:00Z");
        assertThat(only(pending).lastStatusAt()).isEqualTo(only(pending).createdAt());
        assertThat(only(retried).lastStatusAt()).isEqualTo("2033-01-01T00:00:00Z");
        assertThat(only(held).lastStatusAt()).isEqualTo("2034-01-01T00:00:00Z");
        assertThat(only(failed).lastStatusAt()).isEqualTo("2035-01-01T00:00:00Z");
        assertThat(only(discarded).lastStatusAt()).isEqualTo("2036-01-01T00:00:00Z");

        assertThat(only(retried).lastFailedAt()).isEqualTo("2033-01-01T00:00:00Z");
        assertThat(only(failed).lastFailedAt()).isEqualTo("2035-01-01T00:00:00Z");
        assertThat(only(pending).lastFailedAt()).isNull();
        assertThat(only(delivered).lastFailedAt()).isNull();
        assertThat(statuses.nearLastAttempt(9)).as("without a limit").isEmpty();
        database.execute("UPDATE posthorn.subscription SET max_attempts = 3");
        assertThat(statuses.nearLastAttempt(1))
                .extracting(LastChance::lastFailedAt)
                .containsExactly(Instant.parse("2033-01-01T00:00:00Z"));

        rows.mark(subscription, "moved_at = '2020-01-01Z'");
        assertThat(only(sending).lastStatusAt()).isEqualTo(only(sending).createdAt());
        database.execute("DELETE FROM posthorn.receipt");
        assertThat(only(delivered).lastStatusAt()).as("nobody knows any more").isNull();
    }

    @Test
    void anEventWithALaterTimeShowsIt() {
        rows.subscriptionAt("billing", rows.snapshot());
        long seq = rows.event("k");
        database.execute("UPDATE posthorn.event SET deliver_at = '2040-01-01Z' WHERE seq = " + seq);
        assertThat(only(seq).nextAttemptAt()).isEqualTo(Instant.parse("2040-01-01T00:00:00Z"));
    }

    @Test
    void whatTheLogNoLongerHasIsStillKnown() {
        String a = rows.snapshot();
        long subscription = rows.subscriptionAt("billing", a);
        long failed = rows.event("k");
        long waiting = rows.event("w");
        long replayed = rows.event("r");
        UUID failedId = rows.id(failed);
        UUID waitingId = rows.id(waiting);
        UUID replayedId = rows.id(replayed);
        rows.deadLetter(subscription, failed, "HTTP 400", "no", "no");
        rows.deadLetter(subscription, replayed, "HTTP 400", "no", "no");
        rows.delivery(subscription, waiting, "WAITING", 1);
        rows.delivery(subscription, replayed, "WAITING", 0);
        database.execute("INSERT INTO posthorn.kept_event SELECT * FROM posthorn.event WHERE seq <> " + failed);
        assertThat(List.of(status(failed), status(waiting), status(replayed)))
                .as("copied, but not yet dropped")
                .containsExactly(FAILED, PENDING, PENDING);

        database.execute("DELETE FROM posthorn.event");
        for (UUID id : List.of(failedId, waitingId, replayedId)) {
            EventStatus known = statuses.of(id).orElseThrow();
            assertThat(known.subscriptions()).hasSize(1);
            assertThat(known.overall()).hasValue(id.equals(failedId) ? FAILED : PENDING);
            assertThat(known.subscriptions().get(0).lastStatusAt()).isNotNull();
        }
    }

    @Test
    void theOverallStatusIsTheWorstAndADiscardedOneAsksForNothingMore() {
        assertThat(Status.worst(List.of(DELIVERED, SENDING, PENDING, HELD, FAILED, DISCARDED)))
                .hasValue(FAILED);
        assertThat(Status.worst(List.of(DELIVERED, SENDING, PENDING, HELD))).hasValue(HELD);
        assertThat(Status.worst(List.of(DELIVERED, SENDING, PENDING))).hasValue(PENDING);
        assertThat(Status.worst(List.of(DELIVERED, SENDING))).hasValue(SENDING);
        assertThat(Status.worst(List.of(DELIVERED, DISCARDED))).hasValue(DELIVERED);
        assertThat(Status.worst(List.of(DISCARDED))).hasValue(DISCARDED);
    }

    @Test
    void anEventNobodyWantsIsKnownAndAnUnknownOneIsNot() {
        long seq = rows.event("k");
        EventStatus unwanted = statuses.of(rows.id(seq)).orElseThrow();
        assertThat(unwanted.subscriptions()).isEmpty();
        assertThat(unwanted.overall()).isEmpty();
        assertThat(statuses.of(new UUID(1, 2))).isEmpty();
    }

    @Test
    void statusesAreKnownByTheNamesOfOtherSystemsToo() {
        assertThat(Status.parse("NEW")).isEqualTo(PENDING);
        assertThat(Status.parse("Pending")).isEqualTo(PENDING);
        assertThat(Status.parse("PROCESSED")).isEqualTo(DELIVERED);
        assertThat(Status.parse(" held ")).isEqualTo(HELD);
        assertThat(Status.parse("purged")).isEqualTo(DISCARDED);
        assertThatThrownBy(() -> Status.parse("DONE"))
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
                .hasMessageStartingWith("status 'DONE' is unknown; it is one of PENDING (or NEW)");
    }
}
