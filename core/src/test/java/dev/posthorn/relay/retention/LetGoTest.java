package dev.posthorn.relay.retention;

import static dev.posthorn.relay.fixture.Instances.OPS;
import static dev.posthorn.relay.fixture.RetentionDatabase.WEEK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.posthorn.audit.Act;
import dev.posthorn.audit.Audit;
import dev.posthorn.audit.AuditEntry;
import dev.posthorn.audit.AuditQuery;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.relay.fixture.RetentionDatabase;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.subscription.WhenUnavailable;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.posthorn");
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

        assertThat(log.keeper().letGo("away", OPS, "the receiver is gone")).isEqualTo(new LetGo.Below(201, 0, true));
        assertThat(log.database.number(LET_GO_SEQ)).isEqualTo(201);
        assertThat(warnings()).last().asString().contains("away", "below 201", "ops", "the receiver is gone");
        assertThat(log.ranges()).as("until the lanes have acted").startsWith("1-101 101-201 201-301");

        log.move(lane, "b = pg_current_snapshot(), seq = 200");
        assertThat(log.keeper().pass().dropped()).hasSize(2);
        assertThat(log.keeper().letGo("away", OPS, "again")).isInstanceOf(LetGo.NothingHeld.class);
        assertThat(log.database.number(LET_GO_SEQ)).isEqualTo(201);
        assertThat(audit())
                .as("what let go of nothing is not there")
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.actor()).isEqualTo(OPS);
                    assertThat(entry.act())
                            .isEqualTo(new Act(
                                    "subscription.let-go",
                                    "subscription/away",
                                    Map.of("below", "201"),
                                    0L,
                                    "the receiver is gone"));
                });
    }

    private List<AuditEntry> audit() {
        return new Audit(log.database.dataSource(), SchemaName.DEFAULT)
                .find(AuditQuery.ALL)
                .entries();
    }

    @Test
    void whatCannotBeWrittenDownIsNotLetGoOf() {
        log.lane("away");
        log.fillTheFirst();
        log.awaitThatAllHaveEnded();
        log.clock.advance(WEEK);
        log.database.execute("ALTER TABLE posthorn.audit ADD CONSTRAINT full_disk CHECK (false) NOT VALID");
        refused(ErrorCode.DATABASE, "away", "the receiver is gone", "full_disk");
        assertThat(log.database.number(LET_GO_SEQ)).isZero();
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
        new Subscriptions(log.database.dataSource(), SchemaName.DEFAULT).pause("away", null, OPS);
    }

    private void letsGoAndTheLogIsCut(int letters) {
        SteppedRelay heir = relay("heir");
        letsGoAndTheLogIsCut(letters, heir);
        heir.leave();
    }

    private void letsGoAndTheLogIsCut(int letters, SteppedRelay owner) {
        log.awaitThatAllHaveEnded();
        log.clock.advance(WEEK);
        // Its session is over: it lets its lane go and takes it again.
        owner.pass().run(1);
        owner.pass();
        LetGo expected = new LetGo.Below(101, letters, true);
        assertThat(log.keeper().previewLetGo("away")).isEqualTo(expected);
        assertThat(log.database.number(LET_GO_SEQ)).as("it is only a preview").isZero();
        assertThat(audit()).extracting(entry -> entry.act().action()).containsOnly("subscription.pause");
        assertThat(log.keeper().letGo("away", OPS, "the receiver is gone")).isEqualTo(expected);
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
        assertThat(log.keeper().letGo("test", OPS, "why not"))
                .isEqualTo(new LetGo.NothingHeld("subscription test has settled every event older than the retention of"
                        + " 7 days, so there is nothing to let go of"));
        assertThat(log.keeper(Retention.off()).letGo("test", OPS, "why not"))
                .isEqualTo(new LetGo.NothingHeld("the log is kept for ever, so there is nothing to let go of"));
        assertThat(log.database.number(LET_GO_SEQ)).isZero();
    }

    @Test
    void wantsToKnowWhyAndOfWhat() {
        refused(ErrorCode.NOT_FOUND, "tset", "typo", "there is no subscription named 'tset'");
        refused(ErrorCode.INVALID_REQUEST, "test", "", "reason is missing; what is let go of becomes dead letters");
    }

    private void refused(ErrorCode code, String subscription, String reason, String message) {
        assertThatThrownBy(() -> log.keeper().letGo(subscription, OPS, reason))
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
