package dev.posthorn.relay;

import static dev.posthorn.relay.RetentionDatabase.WEEK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Guards;
import dev.posthorn.log.SchemaName;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A subscription that holds retention: what people are told, and the way out. */
class LetGoTest {

    private static final String LET_GO_SEQ = "SELECT let_go_seq FROM posthorn.subscription";

    private final RetentionDatabase log = new RetentionDatabase();
    private final RecordingSink sink = RecordingSink.oneAtATime().answering(event -> new Outcome.Unavailable("away"));
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.posthorn.relay");
    private final ListAppender<ILoggingEvent> messages = new ListAppender<>();

    @BeforeEach
    void listen() {
        messages.start();
        logger.addAppender(messages);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(messages);
    }

    @Test
    void letsGoOfAllThatIsOlderThanTheRetentionAndNoMore() {
        long lane = log.lane("away");
        log.fillTheFirst();
        log.sequenceAt(200);
        log.partitions.keep();
        log.keeper().pass();
        log.clock.advance(WEEK);
        log.sequenceAt(300);
        log.partitions.keep();
        log.keeper().pass();
        log.awaitThatAllHaveEnded();

        assertThat(log.keeper().letGo("away", "ops", "the receiver is gone")).isEqualTo(new LetGo.Below(201));
        assertThat(log.database.number(LET_GO_SEQ)).isEqualTo(201);
        assertThat(warnings()).last().asString().contains("away", "below 201", "ops", "the receiver is gone");
        assertThat(log.ranges()).as("until the lanes have acted").startsWith("1-101 101-201 201-301");

        log.move(lane, "b = pg_current_snapshot(), seq = 200");
        assertThat(log.keeper().pass().dropped()).hasSize(2);
        assertThat(log.keeper().letGo("away", "ops", "again")).isInstanceOf(LetGo.NothingHeld.class);
        assertThat(log.database.number(LET_GO_SEQ)).isEqualTo(201);
    }

    /** It compared with what anybody had ever read, and so did nothing: 0 dead letters, and the log was never cut. */
    @Test
    void aLaneThatChangedHandsWhilePausedLetsGoOfWhatItsFormerOwnerHadRead() {
        SteppedRelay former = relay("former");
        IntStream.range(0, 150).forEach(i -> log.record(String.valueOf(i)));
        log.partitions.keep();
        log.keeper().pass();
        former.run(5);
        assertThat(log.database.number("SELECT max(read_seq) FROM posthorn.lane_mark"))
                .isEqualTo(150);
        pause();
        former.pass().leave();
        letsGoAndTheLogIsCut(100);
    }

    /** A number says nothing about what was read: this event was recorded first and committed last. */
    @Test
    void anEventCommittedBehindWhatWasReadIsLetGoToo() throws SQLException {
        sink.answering(event -> Outcome.DELIVERED);
        SteppedRelay former = relay("former");
        try (Connection open = log.database.transaction()) {
            RetentionDatabase.record(open, "\"late\"");
            IntStream.range(1, 120).forEach(i -> log.record(String.valueOf(i)));
            former.run(5);
            assertThat(sink.received()).hasSize(119);
            log.partitions.keep();
            log.keeper().pass();
            pause();
            former.pass();
            open.commit();
        }
        former.leave();
        letsGoAndTheLogIsCut(1);
    }

    /** Nothing of the lane lies between its last event of the old partition and its first of the next. */
    @Test
    void whatIsReadBeyondTheOldPartitionKeepsItNot() {
        SteppedRelay former = relay("former");
        log.record("1");
        log.sequenceAt(90);
        IntStream.range(0, 5).forEach(i -> log.record(String.valueOf(i)));
        log.sequenceAt(110);
        IntStream.range(0, 5).forEach(i -> log.record(String.valueOf(i)));
        log.partitions.keep();
        log.keeper().pass();
        former.run(5);
        pause();
        former.pass().run(3);
        letsGoAndTheLogIsCut(6, former);
        former.leave();
    }

    private SteppedRelay relay(String instance) {
        Relay.Builder builder = Relay.builder(log.database.dataSource())
                .instance(instance)
                .subscribe(Subscription.to("away", sink)
                        .lanes(1)
                        .fromBeginning()
                        .whenUnavailable(WhenUnavailable.WAIT)
                        .build());
        return SteppedRelay.of(builder, log.clock).pass();
    }

    private void pause() {
        new Subscriptions(log.database.dataSource(), SchemaName.DEFAULT).pause("away");
    }

    private void letsGoAndTheLogIsCut(int letters) {
        SteppedRelay heir = relay("heir");
        letsGoAndTheLogIsCut(letters, heir);
        heir.leave();
    }

    private void letsGoAndTheLogIsCut(int letters, SteppedRelay owner) {
        log.awaitThatAllHaveEnded();
        log.clock.advance(WEEK);
        owner.pass();
        assertThat(log.keeper().letGo("away", "ops", "the receiver is gone")).isEqualTo(new LetGo.Below(101));
        owner.pass().run(10);
        assertThat(log.count("dead_letter")).isEqualTo(letters);
        assertThat(log.keeper().pass().dropped()).hasSize(1);
        int before = sink.received().size();
        owner.pass().run(5);
        assertThat(sink.received()).as("it is paused").hasSize(before);
    }

    @Test
    void saysClearlyThatThereIsNothingToLetGoOf() {
        log.lane("test");
        log.fillTheFirst();
        assertThat(log.keeper().letGo("test", "ops", "why not"))
                .isEqualTo(new LetGo.NothingHeld("subscription test has settled every event older than the retention of"
                        + " 7 days, so there is nothing to let go of"));
        assertThat(log.keeper(Retention.off(), Guards.ALL).letGo("test", "ops", "why not"))
                .isEqualTo(new LetGo.NothingHeld("the log is kept for ever, so there is nothing to let go of"));
        assertThat(log.database.number(LET_GO_SEQ)).isZero();
    }

    @Test
    void wantsToKnowWhoAndWhyAndOfWhat() {
        refused(ErrorCode.NOT_FOUND, "tset", "ops", "typo", "there is no subscription named 'tset'");
        refused(ErrorCode.INVALID_REQUEST, "test", " ", "reason", "needs a name and a reason");
        refused(ErrorCode.INVALID_REQUEST, "test", "ops", "", "needs a name and a reason");
    }

    private void refused(ErrorCode code, String subscription, String by, String reason, String message) {
        assertThatThrownBy(() -> log.keeper().letGo(subscription, by, reason))
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    @Test
    void theOperatorIsToldOnceAnHourWhoHoldsRetentionAndWhatToDo() {
        long lane = log.lane("away");
        log.fillTheFirst();
        log.awaitThatAllHaveEnded();
        log.clock.advance(WEEK);
        RetentionKeeper keeper = log.keeper();
        for (int minute = 0; minute < 60; minute++) {
            assertThat(keeper.pass().holds()).hasSize(1);
            log.clock.advance(Duration.ofMinutes(1));
        }
        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("away", "up to 100 events", "full for 168 h", "Bring its sink back", "let go");
        keeper.pass();
        assertThat(warnings()).hasSize(2);

        log.settle(lane);
        keeper.pass();
        assertThat(warnings()).hasSize(2);
    }

    private List<String> warnings() {
        return messages.list.stream()
                .filter(message -> message.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }
}
