package dev.posthorn.relay.lane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.fixture.ReplayScenario;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * The database refuses one value of a settle. A trigger does so here: it stands for a text that is too long for an index,
 * a byte that is no character, a number out of range, a row that is damaged.
 */
class RefusedTest {

    private static final RetryPolicy TWICE =
            RetryPolicy.of(2, Duration.ofSeconds(10)).jitter(0);

    private static final String REFUSE = """
            CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN RAISE 'this value is poison' USING ERRCODE = '%3$s'; END $$;
            CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON posthorn.%1$s
                FOR EACH ROW WHEN (%2$s) EXECUTE FUNCTION refuse();
            """;

    private final RecordingSink sink = RecordingSink.oneAtATime();
    private final List<String> heard = new ArrayList<>();

    private Instances instances() {
        Instances instances = new Instances(sink);
        instances.listener(new RelayListener() {
            @Override
            public void deadLettered(
                    String subscription, RecordedEvent event, int attempts, Outcome.Failure failure, boolean holdsKey) {
                heard.add(event.seq() + " " + failure.errorClass() + (holdsKey ? " holds" : ""));
            }
        });
        return instances;
    }

    private static void refuse(Instances instances, String table, String when, String state) {
        instances.database.execute(REFUSE.formatted(table, when, state));
    }

    private void allFail() {
        sink.answering(event -> new Outcome.Retry(ErrorClass.SERVER_ERROR, "not yet"));
    }

    private static void record(Instances instances, int count) {
        instances.database.execute("""
                INSERT INTO posthorn.event (id, source, type, version, key, content_type, payload, headers, occurred_at)
                SELECT gen_random_uuid(), 'test', 'test.happened', 1, 'k' || n, 'text/plain', 'content',
                       '{"tenant": "7"}', now() FROM generate_series(1, %d) n
                """.formatted(count));
    }

    /** As the lease keeper and the worker would, for so long. */
    private static void run(Instances instances, SteppedRelay relay, int seconds) {
        for (int i = 0; i < seconds; i++) {
            relay.pass().run(2);
            instances.clock.advance(Duration.ofMillis(800));
        }
    }

    @Test
    void oneRowThatIsRefusedAmongFiveHundredKeepsNoOtherWaiting() throws Exception {
        Instances instances = instances();
        SteppedRelay relay = instances.start(
                "a", s -> s.lanes(1).retry(TWICE).breakerAfter(10_000).inFlightLimit(2000));
        allFail();
        refuse(instances, "delivery", "NEW.seq = 250", "22000");
        record(instances, 501);
        relay.run(4);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery WHERE state = 'WAITING'"))
                .isEqualTo(500);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.attempt"))
                .as("the others' attempts are on record")
                .isEqualTo(500);
        assertThat(instances.database.value(
                        "SELECT l.seq || ' ' || (l.event_id = e.id AND l.payload = e.payload AND l.headers = e.headers)"
                                + " || ' ' || l.attempts || ' ' || l.error_class || ' ' || l.incomplete FROM"
                                + " posthorn.dead_letter l JOIN posthorn.event e USING (seq)"))
                .isEqualTo("250 true 1 unstorable false");
        assertThat(instances.database.value("SELECT error_message FROM posthorn.dead_letter"))
                .isEqualTo("the relay's database refuses to store what became of this event, SQLSTATE 22000 (ERROR:"
                        + " this value is poison); this letter has all of the event");
        assertThat(heard).containsExactly("250 UNSTORABLE");
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.event_status WHERE status = 'DELIVERED'"))
                .isZero();

        sink.answering(event -> Outcome.DELIVERED);
        run(instances, relay, 12);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.event_status WHERE status = 'DELIVERED'"))
                .isEqualTo(500);
        assertThat(sink.receivedSeqs().stream().filter(seq -> seq == 250)).hasSize(1);
    }

    /** The commit itself would refuse all of it, and not say what is wrong. */
    @Test
    void aConstraintThatIsCheckedAtTheCommitKeepsNoOtherWaiting() {
        Instances instances = instances();
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        sink.answering(event -> new Outcome.Reject("no"));
        instances.database.execute("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
                    AS $$ BEGIN RAISE 'this value is poison' USING ERRCODE = '23514'; END $$;
                CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON posthorn.dead_letter DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW WHEN (NEW.seq = 2 AND NEW.payload <> '') EXECUTE FUNCTION refuse();
                """);
        record(instances, 3);
        run(instances, relay, 3);
        assertThat(instances.database.value("SELECT string_agg(seq || ' ' || error_class || ' ' || incomplete, ', '"
                        + " ORDER BY seq) FROM posthorn.dead_letter"))
                .isEqualTo("1 rejected false, 2 unstorable true, 3 rejected false");
        assertThat(sink.receivedSeqs()).containsExactly(1L, 2L, 3L);
    }

    /** A right that is missing is no event's fault; its receiver must not suffer from it either. */
    @Test
    void aLaneWhoseSettlesAreRefusedWholeSendsSlowerAndSlower() {
        Instances instances = instances();
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        sink.answering(event -> new Outcome.Reject("no"));
        refuse(instances, "dead_letter", "true", "42501");
        record(instances, 1);
        for (int i = 0; i < 100; i++) {
            relay.pass().run(3);
            instances.clock.advance(Duration.ofMillis(100));
        }
        assertThat(sink.receivedSeqs()).as("in more than a minute").hasSizeBetween(5, 20);
        instances.database.execute("DROP TRIGGER refuse ON posthorn.dead_letter");
        run(instances, relay, 10);
        assertThat(heard).containsExactly("1 REJECTED");
    }

    /** A damaged payload, for instance: the event was read before, and cannot be read again to be copied. */
    @Test
    void anEventThatCannotBeCopiedLeavesAShortRecord() {
        Instances instances = instances();
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        sink.answering(event -> new Outcome.Reject("no"));
        refuse(instances, "dead_letter", "NEW.seq = 2 AND NEW.payload <> ''", "XX001");
        record(instances, 3);
        relay.run(4);
        assertThat(instances.database.value(
                        "SELECT string_agg(seq || key || ' ' || error_class || ' ' || length(payload) || incomplete, ', '"
                                + " ORDER BY seq) FROM posthorn.dead_letter"))
                .isEqualTo("1k1 rejected 7false, 2k2 unstorable 0true, 3k3 rejected 7false");
        assertThat(heard).containsExactlyInAnyOrder("1 REJECTED", "3 REJECTED", "2 UNSTORABLE");
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.event_status WHERE status = 'FAILED'"))
                .isEqualTo(3);
    }

    /** A replay never sends the empty payload of the record. */
    @Test
    void aShortRecordIsReplayedFromTheLogAsLongAsThatHasTheEvent() {
        ReplayScenario scenario = new ReplayScenario();
        Instances instances = scenario.instances;
        SteppedRelay relay = instances.start("a", s -> s.lanes(1));
        refuse(instances, "dead_letter", "NEW.payload <> ''", "XX001");
        scenario.bad.addAll(List.of(1L, 2L));
        record(instances, 2);
        relay.run(4);
        scenario.bad.clear();
        relay.pass();
        long replay = scenario.replay("", "SELECT seq, event_id, key, id FROM posthorn.dead_letter WHERE seq = 1");
        scenario.run(relay);
        assertThat(scenario.accounts(replay)).isEqualTo("FINISHED 1 = 1 delivered");
        RecordedEvent sent =
                scenario.sink.received().get(scenario.sink.received().size() - 1);
        assertThat(new String(sent.event().payload(), UTF_8)).isEqualTo("content");
        assertThat(sent.event().key()).isEqualTo("k1");

        instances.database.execute("DELETE FROM posthorn.event WHERE seq = 2");
        replay = scenario.replayAll("");
        scenario.run(relay);
        assertThat(scenario.accounts(replay)).isEqualTo("FINISHED 1 = 0 delivered, 1 SKIPPED gone");
        assertThat(scenario.letters()).isOne();
    }

    @Test
    void anEventOfWhichNoTextIsTakenLeavesItsNumberAndItsId() {
        Instances instances = instances();
        SteppedRelay relay = instances.start("a", s -> s.lanes(1).afterDeadLetter(AfterDeadLetter.HOLD));
        sink.answering(event -> new Outcome.Reject("no"));
        refuse(instances, "dead_letter", "NEW.key = 'k2'", "54000");
        record(instances, 3);
        relay.run(4);
        assertThat(instances.database.value(
                        "SELECT (l.event_id = e.id) || ' ' || l.holds_key || l.incomplete || ' ' || l.error_message FROM"
                                + " posthorn.dead_letter l JOIN posthorn.event e USING (seq) WHERE l.key IS NULL"))
                .isEqualTo(
                        "true falsetrue the relay's database refuses to store what became of this event, SQLSTATE 54000;"
                                + " this letter has nothing but the event's number, id, version and times");
        assertThat(heard).containsExactlyInAnyOrder("1 REJECTED holds", "3 REJECTED holds", "2 UNSTORABLE");
    }

    @Test
    void whatWasSaidIsLeftOutIfItCannotBeStoredAndTheEventIsSentAgain() {
        Instances instances = instances();
        SteppedRelay relay = instances.start("a", s -> s.lanes(1).retry(TWICE));
        allFail();
        refuse(instances, "attempt", "NEW.seq = 2", "22000");
        record(instances, 3);
        relay.run(4);
        assertThat(instances.database.value(
                        "SELECT string_agg(seq || state || error_message, ', ' ORDER BY seq) FROM posthorn.delivery"))
                .isEqualTo("1WAITINGnot yet, 2WAITING(what was said could not be stored), 3WAITINGnot yet");
        assertThat(relay.lanes().get(0).isEnded())
                .as("nothing is other than the lane thinks")
                .isFalse();
        sink.answering(event -> Outcome.DELIVERED);
        run(instances, relay, 12);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isZero();
        assertThat(heard).isEmpty();
    }

    /** Held rows take their places in the order of their writing, whatever it takes to write them. */
    @Test
    void theOthersOfAKeyKeepTheirOrderAndWaitOnlyIfDeadLettersHoldTheirKeys() {
        for (AfterDeadLetter after : AfterDeadLetter.values()) {
            RecordingSink receiver = RecordingSink.oneAtATime();
            Instances instances = new Instances(receiver);
            SteppedRelay relay =
                    instances.start("a", s -> s.lanes(1).retry(TWICE).afterDeadLetter(after));
            receiver.answering(event -> new Outcome.Retry("not yet"));
            refuse(instances, "delivery", "NEW.seq = 4", "22000");
            LongStream.rangeClosed(1, 8).forEach(n -> instances.database.record("k"));
            run(instances, relay, 4);
            receiver.answering(event -> Outcome.DELIVERED);
            run(instances, relay, 14);
            boolean holds = after == AfterDeadLetter.HOLD;
            assertThat(instances.database.value(
                            "SELECT string_agg(seq || '' || holds_key, ' ' ORDER BY seq) FROM posthorn.dead_letter"))
                    .isEqualTo(holds ? "4true" : "4false");
            assertThat(instances.database.value(
                            "SELECT string_agg(seq::text, ' ' ORDER BY place) FROM posthorn.delivery"))
                    .isEqualTo(holds ? "2 3 5 6 7 8" : null);
            assertThat(receiver.receivedSeqs().stream().distinct())
                    .isEqualTo(holds ? List.of(1L) : List.of(1L, 2L, 3L, 5L, 6L, 7L, 8L));
        }
    }

    /** A lane that went on over an event without a trace would lose it. */
    @Test
    void anEventOfWhichNothingIsTakenIsNotPassed() {
        Instances instances = instances();
        SteppedRelay relay = instances.start("a", s -> s.lanes(1).retry(TWICE));
        allFail();
        refuse(instances, "delivery", "NEW.seq = 2", "22000");
        refuse(instances, "dead_letter", "NEW.seq = 2", "22000");
        record(instances, 3);
        relay.run(4);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isZero();
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.event_status WHERE status = 'DELIVERED'"))
                .isZero();
        instances.database.execute("DROP TRIGGER refuse ON posthorn.dead_letter");
        relay.run(4);
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                .isEqualTo(2);
        assertThat(heard).containsExactly("2 UNSTORABLE");
    }

    /** A right that is missing, or a server that has no room, is no event's fault. */
    @Test
    void whatIsNotDueToAValueCondemnsNobody() {
        for (String state : List.of("42501", "53100", "40P01", "57P01", "25006")) {
            heard.clear();
            Instances instances = instances();
            SteppedRelay relay = instances.start("a", s -> s.lanes(1).retry(TWICE));
            allFail();
            refuse(instances, "delivery", "NEW.seq = 2", state);
            record(instances, 3);
            relay.run(4);
            assertThat(instances.database.number("SELECT count(*) FROM posthorn.dead_letter"))
                    .as(state)
                    .isZero();
            instances.database.execute("DROP TRIGGER refuse ON posthorn.delivery");
            relay.run(4);
            assertThat(instances.database.number("SELECT count(*) FROM posthorn.delivery"))
                    .isEqualTo(3);
            assertThat(heard).isEmpty();
        }
    }
}
