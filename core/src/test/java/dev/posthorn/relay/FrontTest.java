package dev.posthorn.relay;

import static dev.posthorn.relay.fixture.Instances.OPS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lanes that are well ride on one front, which reads and settles for all of them; one with any trouble is by itself. */
class FrontTest {

    private static final int SUBSCRIPTIONS = 50;
    private static final int LANES = 4;

    private final Instances instances = new Instances(RecordingSink.oneAtATime());
    private final CountingDataSource counting = new CountingDataSource(instances.database.dataSource());

    /** The receiver of another subscription. */
    private final RecordingSink other = RecordingSink.oneAtATime();

    private final Subscription one =
            Subscription.to("one", instances.sink).lanes(LANES).build();
    private final Subscription two = Subscription.to("two", other).lanes(LANES).build();

    private SteppedRelay relay;

    @AfterEach
    void tearDown() {
        relay.close();
    }

    private SteppedRelay relay(String instance, DataSource dataSource, Subscription... all) {
        return SteppedRelay.of(Relay.builder(dataSource).instance(instance).sessionTtl(Instances.TTL), instances.clock)
                .serve(all)
                .pass();
    }

    /** Everybody rides, and has nothing more to say. */
    private void ride(Subscription... all) {
        relay = relay("a", counting.dataSource(), all);
        settleDown();
        assertAllRide(Stream.of(all).mapToInt(Subscription::lanes).sum());
    }

    private void settleDown() {
        idle(25);
    }

    /** Unlike {@link SteppedRelay#run}: nobody is told to look. */
    private void idle(int times) {
        for (int i = 0; i < times; i++) {
            instances.clock.advance(Duration.ofMillis(100));
            relay.step();
        }
    }

    private long riding() {
        return instances.database.number("SELECT count(front) FROM posthorn.lane_mark");
    }

    private long riding(String subscription) {
        return instances.database.number("SELECT count(m.front) FROM posthorn.lane_mark m"
                + " JOIN posthorn.lane n ON n.id = m.lane_id JOIN posthorn.subscription s ON s.id = n.subscription_id"
                + " WHERE s.name = '" + subscription + "'");
    }

    private void assertAllRide(int lanes) {
        assertThat(riding()).isEqualTo(lanes);
        assertThat(instances.database.number("SELECT count(DISTINCT m.front) FROM posthorn.lane_mark m"
                        + " JOIN posthorn.front f ON f.id = m.front WHERE NOT f.ended"))
                .as("on one front")
                .isOne();
    }

    /** What is in the log and not settled by that subscription's lanes. */
    private long unsettled(String subscription) {
        return instances.database.number("SELECT count(*) FROM posthorn.event_status"
                + " WHERE status <> 'DELIVERED' AND subscription = '" + subscription + "'");
    }

    private void record(String... keys) {
        Stream.of(keys).forEach(instances.database::record);
    }

    private void record(Event event) {
        instances.database.record(event);
    }

    private static Event event(String type) {
        return Event.builder().source("test").type(type).key("k").json("{}").build();
    }

    private static List<String> keys(RecordingSink sink) {
        return sink.received().stream()
                .map(each -> String.valueOf(each.event().key()))
                .toList();
    }

    // ---- sleeping

    @Test
    void lanesThatRideSleepUntilSomethingComesOrIsAsked() {
        ride(one, two);
        assertThat(relay.lanes()).allMatch(Lane::isAsleep);
        record("1", "2", "3");
        idle(1);
        assertThat(instances.keys()).containsExactly("1", "2", "3");
        assertThat(relay.lanes()).filteredOn(lane -> !lane.isAsleep()).isNotEmpty();
        idle(25);
        assertThat(unsettled("one")).isZero();
        assertThat(delivered("one")).isEqualTo(3);
        assertThat(relay.lanes()).allMatch(Lane::isAsleep);
        instances.sink.answering(event -> new Outcome.Retry("not now"));
        record("4");
        idle(1);
        assertThat(relay.lanes()).filteredOn(lane -> !lane.isAsleep()).isNotEmpty();
        idle(25);
        assertThat(riding("one")).isEqualTo(LANES - 1);
        assertThat(relay.lanes()).filteredOn(lane -> !lane.isAsleep()).hasSize(1);
    }

    /** By receipts, of lanes and of fronts. */
    private long delivered(String subscription) {
        return instances.database.number(
                "SELECT coalesce(sum(r.count), 0) FROM (SELECT lane_id, count FROM posthorn.receipt"
                        + " UNION ALL SELECT lane, count FROM posthorn.front_receipt, unnest(lanes, counts) each (lane, count)) r"
                        + " JOIN posthorn.lane n ON n.id = r.lane_id JOIN posthorn.subscription s ON s.id = n.subscription_id"
                        + " WHERE s.name = '" + subscription + "'");
    }

    /** Otherwise its process would not take up a subscription that it has lost while a worker stands still. */
    @Test
    void aLaneThatSleepsIsEmptyHandedOnceTheFrontHasPassedWhatItHasDelivered() {
        ride(one);
        record("1");
        idle(25);
        assertThat(relay.lanes()).allMatch(Lane::isAsleep).allMatch(Lane::isEmptyHanded);
    }

    @Test
    void aLaneThatSleepsKnowsWhatItHasDelivered() {
        ride(one, two);
        instances.sink.hold();
        record("1", "2", "3");
        idle(3);
        assertThat(keys(other)).hasSize(3);
        assertThat(relay.lanes())
                .filteredOn(lane -> lane.name().startsWith("two"))
                .as("their events are delivered, and behind others that are not")
                .allMatch(Lane::isAsleep);
        record("4");
        idle(1);
        cut();
        idle(3);
        instances.sink.answerAll();
        settleDown();
        assertThat(keys(other)).containsExactlyInAnyOrder("1", "2", "3", "4");
        assertThat(unsettled("one") + unsettled("two")).isZero();
        assertThat(delivered("two")).isEqualTo(4);
    }

    // ---- room

    @Test
    void aRiderTakesNoMoreBytesThanItHasRoomFor() {
        Subscription small = Subscription.to("small", instances.sink)
                .lanes(1)
                .inFlightBytes(3_000)
                .build();
        ride(small, two);
        instances.sink.hold();
        IntStream.range(0, 20)
                .forEach(i -> record(Event.builder()
                        .source("test")
                        .type("large")
                        .payload(new byte[1_000])
                        .build()));
        idle(1);
        assertThat(instances.sink.waiting()).hasSizeBetween(2, 4);
        while (instances.sink.received().size() < 20) {
            instances.sink.answerAll();
            instances.sink.hold();
            idle(1);
            assertThat(instances.sink.waiting()).hasSizeLessThanOrEqualTo(4);
        }
        instances.sink.answerAll();
        settleDown();
        assertThat(instances.sink.received()).hasSize(20);
        assertAllRide(1 + LANES);
    }

    /** When a process comes or goes tens of thousands get orders, by which most of them go on as before. */
    @Test
    void lanesThatSleepObeyOrdersWithoutAskingAnybodyAndWakeForAPause() {
        ride(one);
        relay("b", instances.database.dataSource(), one).leave();
        instances.database.execute("DELETE FROM posthorn.session WHERE instance = 'b'");
        settleDown();
        assertThat(counting.during(() -> {
                    relay.pass();
                    relay.step();
                }))
                .as("a renewal, a look, and what the front has to do")
                .isLessThanOrEqualTo(4);
        assertThat(relay.lanes()).allMatch(Lane::isAsleep);
        instances.database.execute("UPDATE posthorn.subscription SET paused = true");
        relay.pass().step();
        assertThat(relay.lanes()).noneMatch(Lane::isAsleep).allMatch(Lane::isSilent);
        record("1");
        idle(5);
        assertThat(instances.keys()).isEmpty();
    }

    // ---- after a take-over

    private long disturbed() {
        return instances.database.number("SELECT count(*) FROM posthorn.lane_mark WHERE takeovers > 0");
    }

    /** By itself each would read and settle for a minute: thousands may have something to read when a process dies. */
    @Test
    void whoHasReadSomethingSinceItWasTakenOverRidesAndItsTakeOversAreForgottenLater() {
        ride(one);
        instances.sink.hold();
        record("1");
        idle(1);
        relay.close();
        instances.sink.answerAll();
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        relay = relay("b", counting.dataSource(), one);
        assertThat(disturbed()).isEqualTo(LANES);
        idle(25);
        assertThat(instances.keys()).containsExactly("1", "1");
        assertAllRide(LANES);
        assertThat(disturbed()).as("it may be what has ended the first").isOne();
        assertThat(relay.lanes()).filteredOn(lane -> !lane.isAsleep()).hasSize(1);
        instances.clock.advance(one.timeout());
        idle(25);
        assertThat(disturbed()).isOne();
        instances.clock.advance(one.timeout());
        relay.pass();
        idle(25);
        assertThat(disturbed()).isZero();
        assertThat(relay.lanes()).allMatch(Lane::isAsleep);
    }

    // ---- what it costs

    private static Subscription[] many(RecordingSink sink) {
        return IntStream.range(0, SUBSCRIPTIONS)
                .mapToObj(i -> Subscription.to("s" + i, sink)
                        .lanes(LANES)
                        .filter(Filter.types("t" + i))
                        .build())
                .toArray(Subscription[]::new);
    }

    @Test
    void idleLanesCostOneReadAtATimeAndOneMoveASecondHoweverManyTheyAre() {
        ride(many(instances.sink));
        assertThat(relay.lanes()).hasSize(SUBSCRIPTIONS * LANES);
        assertThat(instances.database.value("SELECT pg_current_xact_id()::text"))
                .as("there is something to move to")
                .isNotEmpty();
        List<String> texts = counting.textsDuring(() -> idle(30));
        assertThat(texts)
                .filteredOn(FrontTest::isMove)
                .hasSizeBetween(1, 3)
                .noneMatch(text -> text.contains("lane_mark"));
        assertThat(texts).filteredOn(FrontTest::isRead).hasSizeBetween(10, 30);
        assertThat(texts).filteredOn(text -> !isMove(text) && !isRead(text)).isEmpty();
    }

    @Test
    void anEventThatOneOfThemWantsCostsOneReadAndOneMove() {
        ride(many(instances.sink));
        record(event("t7"));
        List<String> texts = counting.textsDuring(() -> idle(1));
        assertThat(instances.keys()).as("read and handed over").containsExactly("k");
        assertThat(texts).hasSize(1).allMatch(FrontTest::isRead);
        texts = counting.textsDuring(() -> idle(2));
        assertThat(texts).filteredOn(FrontTest::isMove).as("after the answer").hasSize(1);
        assertThat(texts).filteredOn(text -> !isMove(text) && !isRead(text)).isEmpty();
        assertThat(unsettled("s7")).isZero();
        settleDown();
        assertThat(instances.database.number("SELECT sum(total) FROM posthorn.front_receipt,"
                        + " LATERAL (SELECT sum(c) AS total FROM unnest(counts) c) told"))
                .as("in a receipt, once")
                .isOne();
        assertAllRide(SUBSCRIPTIONS * LANES);
    }

    private static boolean isRead(String text) {
        return text.startsWith("WITH s AS MATERIALIZED (SELECT ?::pg_snapshot AS a");
    }

    private static boolean isMove(String text) {
        return text.startsWith("WITH moved AS (");
    }

    // ---- trouble

    @Test
    void aFailingEventGetsItsRowAndItsLaneGetsOffUntilAllIsWell() {
        AtomicBoolean fails = new AtomicBoolean(true);
        instances.sink.answering(event -> fails.get() ? new Outcome.Retry("not now") : Outcome.DELIVERED);
        ride(one, two);
        record("k");
        idle(5);
        assertThat(instances.database.column("SELECT state || ' ' || attempts FROM posthorn.delivery"))
                .containsExactly("WAITING 1");
        assertThat(riding("one")).isEqualTo(LANES - 1);
        assertThat(riding("two")).isEqualTo(LANES);
        assertThat(unsettled("two")).isZero();
        fails.set(false);
        for (int i = 0; i < 2; i++) {
            instances.clock.advance(Instances.TTL.minusSeconds(10));
            relay.pass();
        }
        settleDown();
        assertThat(instances.keys()).as("and once more").containsExactly("k", "k");
        assertThat(unsettled("one")).isZero();
        assertAllRide(2 * LANES);
        record("k");
        idle(2);
        assertThat(instances.keys()).containsExactly("k", "k", "k");
    }

    /** Looked at as each transaction commits: in between, whoever took the lane over would miss the event. */
    @Test
    void theFrontPassesAnEventThatFailedOnceItsRowIsThere() {
        instances.sink.answering(event -> new Outcome.Retry("not now"));
        ride(one);
        instances.database.execute(LOOK_AT_COMMIT);
        record("k");
        idle(10);
        assertThat(riding("one")).isEqualTo(LANES - 1);
        assertThat(seen("one", "k")).containsExactly("PENDING");
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isOne();
    }

    /** At commits so far. */
    private List<String> seen(String subscription, String key) {
        return instances.database.column("SELECT DISTINCT status FROM public.seen WHERE subscription = '" + subscription
                + "' AND key = '" + key + "'");
    }

    private static final String LOOK_AT_COMMIT = """
            CREATE TABLE public.seen (subscription text, key text, status text);
            CREATE FUNCTION public.look() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN
                    INSERT INTO public.seen SELECT subscription, key, status FROM posthorn.event_status;
                    RETURN NULL;
                END $$;
            CREATE CONSTRAINT TRIGGER look AFTER UPDATE ON posthorn.front
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.look();
            CREATE CONSTRAINT TRIGGER look AFTER UPDATE ON posthorn.lane_mark
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.look()
            """;

    @Test
    void theLaneOfASlowReceiverGetsOffAfterASecondAndTheOthersMarksGoOn() {
        ride(one, two);
        instances.sink.hold();
        record("slow");
        idle(8);
        assertThat(other.receivedSeqs()).hasSize(1);
        assertThat(unsettled("two")).as("it holds the front").isOne();
        assertThat(riding()).isEqualTo(2 * LANES);
        idle(6);
        assertThat(riding("one")).isEqualTo(LANES - 1);
        assertThat(riding("two")).isEqualTo(LANES);
        assertThat(unsettled("two")).isZero();
        assertThat(unsettled("one")).isOne();
        record("next");
        idle(3);
        assertThat(keys(other)).containsExactly("slow", "next");
        instances.sink.answerAll();
        settleDown();
        assertThat(instances.keys()).containsExactly("slow", "next");
        assertThat(unsettled("one") + unsettled("two")).isZero();
        assertAllRide(2 * LANES);
    }

    /** When all are slow it is this process that is, and each lane by itself would cost it more. */
    @Test
    void whoTakesNoLongerThanIsUsualStaysOnTheFront() {
        ride(one);
        instances.sink.hold();
        record("first");
        idle(9);
        instances.sink.answerAll();
        settleDown();
        assertThat(riding()).isEqualTo(LANES);
        instances.sink.hold();
        record("second");
        idle(25);
        assertThat(riding()).as("the first took most of a second").isEqualTo(LANES);
        idle(20);
        assertThat(riding()).isEqualTo(LANES - 1);
        instances.sink.answerAll();
        settleDown();
        assertThat(instances.keys()).containsExactly("first", "second");
    }

    /** It does not wait for the second to be over: somebody needs the places. */
    @Test
    void aLaneWithoutRoomGetsOffWithWhatItHasAndGoesOn() {
        Subscription small = Subscription.to("small", instances.sink)
                .lanes(1)
                .inFlightLimit(4)
                .build();
        ride(small, two);
        instances.sink.hold();
        record("1", "2", "3", "4", "5", "6", "7");
        idle(5);
        assertThat(instances.keys()).hasSize(4);
        assertThat(riding("small")).isZero();
        assertThat(unsettled("two")).isZero();
        instances.sink.answerAll();
        settleDown();
        assertThat(instances.keys()).containsExactly("1", "2", "3", "4", "5", "6", "7");
        assertThat(unsettled("small")).isZero();
        assertAllRide(1 + LANES);
    }

    /** All that it has in its hands is settled as it gets off, so nothing else holds the front. */
    @Test
    void theFrontPassesAnEventThatALaneHadNoRoomForOnceTheLaneIsOff() {
        Subscription small = Subscription.to("small", instances.sink)
                .lanes(1)
                .inFlightLimit(2)
                .build();
        ride(small);
        instances.database.execute(LOOK_AT_COMMIT);
        record("1", "2");
        idle(1);
        assertThat(instances.keys()).containsExactly("1", "2");
        instances.sink.hold();
        record("3");
        idle(1);
        assertThat(riding("small")).isZero();
        idle(5);
        assertThat(instances.keys()).containsExactly("1", "2", "3");
        assertThat(seen("small", "3")).as("without an answer").isNotEmpty().doesNotContain("DELIVERED");
        instances.sink.answerAll();
        settleDown();
        assertThat(unsettled("small")).isZero();
        assertAllRide(1);
    }

    /** The front writes for it, at the latest when half its places are taken by what is settled. */
    @Test
    void aRiderHasItsPlacesBackAsSoonAsItsEventsAreSettled() {
        Subscription small = Subscription.to("small", instances.sink)
                .lanes(1)
                .inFlightLimit(4)
                .build();
        ride(small, two);
        for (int i = 0; i < 20; i++) {
            record("a" + i, "b" + i);
            relay.step();
            instances.clock.advance(Duration.ofMillis(5));
            relay.step();
        }
        idle(2);
        assertThat(instances.keys()).hasSize(40).doesNotHaveDuplicates();
        assertAllRide(1 + LANES);
    }

    // ---- death

    @Test
    void ridersOfAKilledRelayAreTakenOverWhereTheirFrontStoodAndNothingSettledIsSentTwice() {
        ride(one, two);
        record("1", "2", "3");
        idle(3);
        instances.sink.hold();
        record("4");
        idle(2);
        relay.close();
        instances.sink.answerAll();
        record("5");
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        relay = relay("b", counting.dataSource(), one, two);
        assertThat(riding()).as("all are off").isZero();
        settleDown();
        assertThat(instances.keys())
                .as("what had no answer again, and nothing else")
                .containsExactlyInAnyOrder("1", "2", "3", "4", "4", "5");
        assertThat(keys(other))
                .as("it was behind the one that held the front")
                .containsExactlyInAnyOrder("1", "2", "3", "4", "4", "5");
        assertThat(unsettled("one") + unsettled("two")).isZero();
        assertAllRide(2 * LANES);
    }

    @Test
    void whatWasInFlightWhenTheConnectionWasCutIsNeitherLostNorSentAgain() {
        ride(one, two);
        instances.sink.hold();
        record("1", "2", "3");
        idle(2);
        cut();
        record("4");
        idle(3);
        instances.sink.answerAll();
        settleDown();
        assertThat(instances.keys()).containsExactlyInAnyOrder("1", "2", "3", "4");
        assertThat(keys(other)).containsExactlyInAnyOrder("1", "2", "3", "4");
        assertThat(unsettled("one") + unsettled("two")).isZero();
        assertAllRide(2 * LANES);
    }

    @Test
    void whatHadArrivedWhenTheConnectionWasCutIsNotSentAgain() {
        ride(one, two);
        record("1", "2", "3");
        idle(1);
        assertThat(unsettled("one")).as("no move yet").isEqualTo(3);
        cut();
        settleDown();
        assertThat(instances.keys()).containsExactlyInAnyOrder("1", "2", "3");
        assertThat(keys(other)).containsExactlyInAnyOrder("1", "2", "3");
        assertThat(unsettled("one") + unsettled("two")).isZero();
        assertAllRide(2 * LANES);
    }

    private void cut() {
        instances.database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
    }

    // ---- orders

    @Test
    void whoIsPausedGetsOffAndWhoIsResumedGetsOn() {
        ride(one, two);
        instances.subscriptions().pause("one", null, OPS);
        relay.pass();
        idle(1);
        record("1", "2", "3");
        idle(2);
        relay.pass();
        assertThat(instances.subscriptions().isQuiet("one")).isTrue();
        assertThat(instances.keys()).isEmpty();
        assertThat(riding("one")).isZero();
        assertThat(keys(other)).hasSize(3);
        instances.subscriptions().resume("one", null, OPS);
        relay.pass();
        settleDown();
        assertThat(instances.keys()).containsExactlyInAnyOrder("1", "2", "3");
        assertAllRide(2 * LANES);
    }

    @Test
    void aChangeOfLanesWhileTheyRideLosesAndRepeatsNothing() {
        ride(one, two);
        Subscription wider =
                Subscription.to("one", instances.sink).lanes(LANES + 3).build();
        record("1", "2", "3");
        idle(1);
        relay.serve(wider, two);
        for (int i = 4; i < 14; i++) {
            record("" + i);
            relay.pass();
            idle(2);
        }
        settleDown();
        assertThat(instances.subscriptions().list())
                .filteredOn(stored -> stored.name().equals("one"))
                .allSatisfy(stored -> assertThat(stored.generation()).isEqualTo(2));
        assertThat(instances.keys()).hasSize(13).doesNotHaveDuplicates();
        assertThat(keys(other)).hasSize(13).doesNotHaveDuplicates();
        assertAllRide(LANES + 3 + LANES);
    }

    @Test
    void whoComesLaterReadsUpToTheFrontAndGetsOn() {
        Subscription late =
                Subscription.to("late", other).lanes(LANES).fromBeginning().build();
        ride(one);
        record("1", "2", "3");
        idle(5);
        relay.serve(one, late).pass();
        record("4");
        settleDown();
        assertThat(keys(other)).containsExactlyInAnyOrder("1", "2", "3", "4");
        assertThat(instances.keys()).containsExactlyInAnyOrder("1", "2", "3", "4");
        assertAllRide(2 * LANES);
    }

    @Test
    void aCleanEndLeavesNothingInDoubt() {
        ride(one, two);
        record("1", "2", "3");
        idle(1);
        relay.leave();
        assertThat(riding()).isZero();
        assertThat(unsettled("one") + unsettled("two")).isZero();
        relay = relay("b", counting.dataSource(), one, two);
        settleDown();
        assertThat(instances.keys()).hasSize(3);
        assertThat(keys(other)).hasSize(3);
        assertAllRide(2 * LANES);
    }
}
