package dev.posthorn.relay.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.event.Event;
import dev.posthorn.relay.fixture.DyingDataSource;
import dev.posthorn.relay.fixture.Mortal;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import dev.posthorn.testkit.FrozenWalWriter;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server that is killed takes back what it had not on its disk yet: transaction ids, numbers, and commits that did not wait. It
 * gives them out again, below what a lane has read of it.
 */
@Tag("slow")
class CrashTest {

    private static final int ENOUGH_TO_COME_BACK = 50;

    private static EmbeddedPostgres server;

    private final RecordingSink sink = RecordingSink.oneAtATime();
    private final Mortal mortal = new Mortal(TestDatabase.create(server), sink);
    private final TestDatabase database = mortal.database;
    private final FrozenWalWriter frozen = FrozenWalWriter.of(database);

    @BeforeAll
    static void startServer() {
        server = Mortal.server().start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void thaw() {
        frozen.close();
    }

    private static void crash() {
        server.kill();
        server.start();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void transactionsWhoseIdsWereGivenOutBeforeACrashAreDelivered(boolean riding) throws Exception {
        try (SteppedRelay relay = mortal.start(database.dataSource(), riding)) {
            String mark = mortal.mark();
            mortal.rollBack(20);
            mortal.poll(relay);
            assertThat(mortal.mark())
                    .as("what a poll has read is not settled yet")
                    .isEqualTo(mark);
            long reached = mortal.nextTransaction();

            crash();
            assertThat(mortal.nextTransaction()).as("ids are taken back").isLessThanOrEqualTo(reached - 20);
            List<UUID> after = record("after", 5);
            relay.run(ENOUGH_TO_COME_BACK);

            assertThat(mortal.received("after")).containsExactlyInAnyOrderElementsOf(after);
            assertThat(mortal.received("before")).as("sent again").hasSize(1);
            assertThat(mortal.wronglyDelivered(database)).isZero();
        }
    }

    /** What the lane knows of events that un-happen when the server dies. */
    enum InHand {
        UNANSWERED,
        DELIVERED,
        TO_BE_RETRIED,
        DEAD_LETTERS
    }

    private static Stream<Arguments> inHandAndRiding() {
        return withBoth(InHand.values());
    }

    private static Stream<Arguments> deathAndRiding() {
        return withBoth(DyingDataSource.Death.values());
    }

    /** With a lane that rides on the front, and with one that reads and settles by itself. */
    private static <E> Stream<Arguments> withBoth(E[] all) {
        return Stream.of(all).flatMap(each -> Stream.of(Arguments.of(each, true), Arguments.of(each, false)));
    }

    private static Outcome outcome(InHand inHand) {
        return switch (inHand) {
            case UNANSWERED, DELIVERED -> Outcome.DELIVERED;
            case TO_BE_RETRIED -> new Outcome.Retry(ErrorClass.SERVER_ERROR, "later");
            case DEAD_LETTERS -> new Outcome.Reject(ErrorClass.INVALID, "never");
        };
    }

    /** Two of the others failed, and the lane was about to write rows or letters for them and to hold their key. */
    @ParameterizedTest
    @MethodSource("inHandAndRiding")
    void eventsThatGetTheNumbersOfOthersThatUnhappenedAreDelivered(InHand inHand, boolean riding) throws Exception {
        DyingDataSource dying = new DyingDataSource(database.dataSource(), server::kill);
        try (SteppedRelay relay = mortal.start(dying.get(), riding)) {
            if (inHand == InHand.UNANSWERED) {
                sink.hold();
            }
            sink.answering(event ->
                    String.valueOf(event.event().key()).startsWith("held") ? outcome(inHand) : Outcome.DELIVERED);
            // Beyond the numbers that the server had reserved on its disk when it gave out the first ones.
            mortal.recordWithoutWaiting(Mortal.events("undone", 38));
            mortal.recordWithoutWaiting(Mortal.events("held", 2));
            Map<Long, UUID> undone = bySeq();
            mortal.poll(relay);
            // At the latest when anything of it is to be written: a lane that rides gets off for its rows at once.
            dying.dieAtSettle(DyingDataSource.Death.BEFORE);
            if (inHand != InHand.DEAD_LETTERS) {
                mortal.poll(relay); // takes the answers; a letter would be written at once
            }

            dying.live();
            crash();
            assertThat(database.number("SELECT count(*) FROM posthorn.event WHERE key <> 'before'"))
                    .isZero();
            sink.answering(event -> Outcome.DELIVERED);
            List<UUID> after = record("after", 20);
            List<UUID> held = record("held", 2);
            assertThat(bySeq().keySet()).as("numbers are given out again").containsAnyElementsOf(undone.keySet());
            assertThat(bySeq().values()).doesNotContainAnyElementsOf(undone.values());
            sink.answerAll();
            relay.run(ENOUGH_TO_COME_BACK);

            assertThat(mortal.received("after")).containsExactlyInAnyOrderElementsOf(after);
            assertThat(mortal.received("held")).filteredOn(held::contains).containsExactlyInAnyOrderElementsOf(held);
            assertThat(database.number("SELECT count(*) FROM posthorn.delivery WHERE seq > 0"))
                    .as("rows of events that un-happened")
                    .isZero();
            assertThat(database.number("SELECT count(*) FROM posthorn.dead_letter"))
                    .as("letters of events that un-happened")
                    .isZero();
            assertThat(mortal.wronglyDelivered(database)).isZero();
            assertThat(database.number("SELECT count(*) FROM posthorn.event_status WHERE status <> 'DELIVERED'"))
                    .isZero();
        }
    }

    private Map<Long, UUID> bySeq() {
        return Stream.of(database.value("SELECT string_agg(seq || ' ' || id, ',') FROM posthorn.event"
                                + " WHERE key <> 'before'")
                        .split(","))
                .map(each -> each.split(" "))
                .collect(Collectors.toMap(each -> Long.valueOf(each[0]), each -> UUID.fromString(each[1])));
    }

    /** Of a lane that rides it is a move of its front. */
    @ParameterizedTest
    @MethodSource("deathAndRiding")
    void aSettleInDoubtNeitherLosesNorRepeatsWhetherItWasDoneOrNot(DyingDataSource.Death death, boolean riding)
            throws Exception {
        settleInDoubt(death, Outcome.DELIVERED, riding);
        assertThat(mortal.received("tried")).hasSize(1);
        assertThat(mortal.receipted()).as("each event is in one receipt").isEqualTo(12);
    }

    /** An event that failed is tried once more if its row was not written, and waits for its time if it was. */
    @ParameterizedTest
    @EnumSource(DyingDataSource.Death.class)
    void soDoesASettleThatWritesARow(DyingDataSource.Death death) throws Exception {
        settleInDoubt(death, new Outcome.Retry(ErrorClass.SERVER_ERROR, "later"), false);
        boolean waits = database.number("SELECT count(*) FROM posthorn.delivery WHERE seq > 0") == 1;
        assertThat(mortal.received("tried")).hasSize(waits ? 1 : 2);
        assertThat(waits || death == DyingDataSource.Death.BEFORE).isTrue();
    }

    /** It has no row before it is off, so whatever the move was, the event that failed comes again. */
    @ParameterizedTest
    @EnumSource(DyingDataSource.Death.class)
    void soDoesAMoveThatPutsALaneOffItsFront(DyingDataSource.Death death) throws Exception {
        settleInDoubt(death, new Outcome.Retry(ErrorClass.SERVER_ERROR, "later"), true);
        assertThat(mortal.received("tried")).hasSize(2);
        assertThat(database.number("SELECT count(*) FROM posthorn.delivery")).isZero();
    }

    private void settleInDoubt(DyingDataSource.Death death, Outcome tried, boolean riding) throws Exception {
        DyingDataSource dying = new DyingDataSource(database.dataSource(), server::kill);
        try (SteppedRelay relay = mortal.start(dying.get(), riding)) {
            sink.answering(event -> "tried-0".equals(event.event().key()) ? tried : Outcome.DELIVERED);
            record("tried", 1);
            List<UUID> during = record("during", 5);
            mortal.poll(relay);
            mortal.rollBack(20);
            mortal.poll(relay);
            dying.dieAtSettle(death);
            relay.run(1);
            assertThat(dying.hasDied()).isTrue();

            server.start();
            sink.answering(event -> Outcome.DELIVERED);
            List<UUID> after = record("after", 5);
            relay.run(ENOUGH_TO_COME_BACK);

            assertThat(mortal.received("after")).containsExactlyInAnyOrderElementsOf(after);
            assertThat(mortal.received("during")).containsExactlyInAnyOrderElementsOf(during);
            assertThat(mortal.wronglyDelivered(database)).isZero();
        }
    }

    private List<UUID> record(String key, int count) {
        List<Event> events = Mortal.events(key, count);
        events.forEach(database::record);
        return events.stream().map(Event::id).toList();
    }
}
