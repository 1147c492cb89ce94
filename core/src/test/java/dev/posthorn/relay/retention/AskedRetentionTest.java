package dev.posthorn.relay.retention;

import static dev.posthorn.relay.fixture.Instances.OPS;
import static dev.posthorn.relay.fixture.RetentionDatabase.A_WEEK;
import static dev.posthorn.relay.fixture.RetentionDatabase.WEEK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.fixture.RetentionDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Several relays on one schema: nothing is forgotten earlier than the longest period that anybody asked for. */
class AskedRetentionTest {

    private static final Duration YEAR = Duration.ofDays(365);
    private static final Retention A_YEAR = new Retention(YEAR, YEAR, YEAR, YEAR, Duration.ofMinutes(1));
    private static final String FIRST_IS_GONE = "101-201";
    private static final String FIRST_IS_THERE = "1-101 101-201";

    private final RetentionDatabase log = new RetentionDatabase();

    @Test
    void theLongestOfAllIsWhatCounts() {
        ask("hub", A_YEAR);
        ask("shop", A_WEEK);
        makeOld(WEEK.multipliedBy(2));
        assertThat(log.keeper().pass().dropped()).isEmpty();
        assertThat(log.count("inbox_entry")).isOne();

        log.clock.advance(YEAR);
        assertThat(log.keeper().pass().dropped()).hasSize(1);
        assertThat(log.count("inbox_entry")).isZero();
    }

    @Test
    void forEverIsLongest() {
        ask("shop", Retention.off());
        makeOld(YEAR);
        assertThat(log.keeper().pass().dropped()).isEmpty();
        assertThat(log.count("inbox_entry")).isOne();
        assertThat(log.ranges()).isEqualTo(FIRST_IS_THERE);
        assertThat(log.keeper().letGo("test", OPS, "why not"))
                .isEqualTo(new LetGo.NothingHeld("the log is kept for ever, so there is nothing to let go of"));
    }

    @Test
    void onesOwnPeriodCountsThoughOthersAskedForLess() {
        ask("shop", new Retention(Duration.ofHours(1), null, null, null, Duration.ofMinutes(1)));
        makeOld(Duration.ofDays(1));
        assertThat(log.keeper().pass().dropped()).isEmpty();
    }

    @Test
    void whoChangesTheirMindIsObeyed() {
        ask("shop", Retention.off());
        ask("shop", A_WEEK);
        makeOld(WEEK);
        assertThat(log.keeper().pass().dropped()).hasSize(1);
    }

    @Test
    void aRelayThatIsToldStoresItAndOneThatIsNotDoesNot() {
        Relay.builder(log.database.dataSource()).start().close();
        assertThat(log.count("retention")).isZero();
        Relay.builder(log.database.dataSource()).retention(A_WEEK).start().close();
        Relay.builder(log.database.dataSource())
                .retention("hub", Retention.off())
                .start()
                .close();
        assertThat(log.database.value("SELECT string_agg(asker || ' ' || coalesce(log_ms / 86400000 || ' days',"
                        + " 'for ever'), ', ' ORDER BY asker) FROM posthorn.retention"))
                .isEqualTo("hub for ever, relay 7 days");
    }

    @Test
    void aNameThatCouldNotBeStoredIsRefused() {
        for (String asker : List.of("", " ", "x".repeat(256), "a\u0000b")) {
            assertThatThrownBy(() -> Relay.builder(log.database.dataSource()).retention(asker, A_WEEK))
                    .isInstanceOf(PosthornException.class)
                    .hasMessageContaining("asker has " + asker.length() + " characters");
        }
    }

    @Test
    void aRelayForConsumersForgetsNothingButTheirEntries() {
        makeOld(YEAR);
        log.database.execute("INSERT INTO posthorn.inbox_entry (consumer, event_id, entered_at) VALUES"
                + " ('mine', gen_random_uuid(), posthorn.clock() - interval '8 days'),"
                + " ('mine', gen_random_uuid(), posthorn.clock() - interval '6 days')");
        try (Relay relay = Relay.builder(log.database.dataSource())
                .onlyInboxOf(Set.of("mine"), WEEK)
                .start()) {
            await().atMost(Duration.ofSeconds(60)).until(() -> log.count("inbox_entry") == 2);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> relay.retention().pass().complete());
        }
        assertThat(log.database.value("SELECT string_agg(consumer, ' ' ORDER BY consumer) FROM posthorn.inbox_entry"))
                .isEqualTo("mine somebody");
        assertThat(log.ranges()).startsWith(FIRST_IS_THERE);
        assertThat(log.count("retention")).isZero();

        log.keeper().pass();
        assertThat(log.ranges()).as("by the one whose business it is").startsWith(FIRST_IS_GONE);
    }

    private void ask(String asker, Retention retention) {
        AskedRetention.ask(log.database.dataSource(), SchemaName.DEFAULT, asker, retention);
    }

    /** A partition and an inbox entry of that age. */
    private void makeOld(Duration age) {
        log.lane("test");
        log.fillTheFirst();
        log.settle(log.database.number("SELECT id FROM posthorn.lane"));
        log.database.execute(
                "INSERT INTO posthorn.inbox_entry (consumer, event_id) VALUES ('somebody', gen_random_uuid())");
        log.clock.advance(age);
    }
}
