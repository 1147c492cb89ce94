package dev.posthorn.inbox;

import static dev.posthorn.inbox.Claim.CONFLICT;
import static dev.posthorn.inbox.Claim.DUPLICATE;
import static dev.posthorn.inbox.Claim.FRESH;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import dev.posthorn.event.Event;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.retention.Retention;
import dev.posthorn.relay.retention.RetentionKeeper;
import dev.posthorn.testing.SettableClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** An event is known by its source and its id. Of two sources with one id the second was taken for a repetition. */
class TwoSourcesTest {

    private static final UUID ID = new UUID(1, 1);

    private final TestDatabase database = TestDatabase.create();
    private final Inbox inbox = Inbox.create();
    private final List<String> effects = new ArrayList<>();

    @Test
    void eachHasItsEffectOnce() throws SQLException {
        for (int i = 0; i < 3; i++) {
            take("shop");
            take("warehouse");
            take("billing");
        }
        assertThat(effects).containsExactly("shop", "warehouse", "billing");
    }

    @Test
    void eachHasItsEffectOnceInABatchToo() {
        List<Event> batch = List.of(event("shop"), event("warehouse"), event("shop"), event("billing"));

        assertThat(takeEach(batch)).containsExactly("shop", "warehouse", "billing");
        assertThat(takeEach(batch)).isEmpty();
        assertThat(takeEach(List.of(event("warehouse"), event("books")))).containsExactly("books");
    }

    @Test
    void oneAtATimeAndInABatchTheyAreTheSameEvents() throws SQLException {
        take("shop");
        take("warehouse");
        assertThat(takeEach(List.of(event("warehouse"), event("billing"), event("shop"))))
                .containsExactly("billing");
        take("billing");
        assertThat(effects).containsExactly("shop", "warehouse");
    }

    /** It may be an entry of an earlier release, or of somebody who knows nothing of sources. */
    @Test
    void anEntryWithoutASourceIsEverybodys() throws SQLException {
        assertThat(inbox.once(database.dataSource(), "billing", ID, connection -> "done")
                        .isDuplicate())
                .isFalse();
        take("shop");
        assertThat(takeEach(List.of(event("shop"), event("warehouse")))).isEmpty();
        assertThat(effects).isEmpty();
    }

    @Test
    void whoAsksForTheIdAloneIsToldThatItIsTaken() throws SQLException {
        take("shop");
        assertThat(inbox.once(database.dataSource(), "billing", ID, connection -> "done")
                        .isDuplicate())
                .isTrue();
    }

    @Test
    void aHubKnowsTheSecondUnderItsSource() throws SQLException {
        Event second = event("warehouse").underItsSource();

        assertThat(ingest("shop", 1)).isEqualTo(FRESH + " " + ID);
        assertThat(ingest("warehouse", 1)).isEqualTo(FRESH + " " + second.id());
        assertThat(ingest("warehouse", 1)).isEqualTo(DUPLICATE + " " + second.id());
        assertThat(ingest("warehouse", 2)).isEqualTo(CONFLICT + " " + second.id());
        assertThat(ingest("shop", 2)).isEqualTo(CONFLICT + " " + ID);
        try (Connection connection = database.transaction()) {
            assertThat(inbox.lookUpIngest(connection, List.of(arrival("warehouse", 2), arrival("books", 1))))
                    .extracting(ClaimedEvent::claim)
                    .containsExactly(CONFLICT, FRESH);
        }
    }

    /** When the first one's entry was gone, the second one's event was fresh under the id once more. */
    @Test
    void theSecondIsKnownForAsLongAsItsOwnEntryIsKept() throws SQLException {
        SettableClock clock =
                SettableClock.at(Instant.parse("2026-01-01T00:00:00Z"), database.dataSource(), SchemaName.DEFAULT);
        take("shop");
        ingest("shop", 1);
        clock.advance(Duration.ofDays(20));
        take("warehouse");
        takeEach(List.of(event("billing")));
        ingest("warehouse", 1);
        clock.advance(Duration.ofDays(11));
        forget();

        take("warehouse");
        assertThat(effects).containsExactly("shop", "warehouse");
        assertThat(takeEach(List.of(event("warehouse"), event("billing")))).isEmpty();
        assertThat(ingest("warehouse", 1)).startsWith(DUPLICATE.name());

        clock.advance(Duration.ofDays(31));
        forget();
        assertThat(database.number("SELECT count(*) FROM posthorn.inbox_entry")).isZero();
    }

    private void forget() {
        new RetentionKeeper(database.dataSource(), SchemaName.DEFAULT, Retention.defaults()).pass();
    }

    private String ingest(String source, int digest) throws SQLException {
        try (Connection connection = database.transaction()) {
            ClaimedEvent claimed = inbox.claimIngest(connection, List.of(arrival(source, digest)))
                    .get(0);
            connection.commit();
            return claimed.claim() + " " + claimed.event().id();
        }
    }

    private static Arrival arrival(String source, int digest) {
        return new Arrival(event(source), new byte[] {(byte) digest});
    }

    private void take(String source) throws SQLException {
        inbox.once(database.dataSource(), "billing", event(source), connection -> effects.add(source));
    }

    private List<String> takeEach(List<Event> events) {
        return inbox
                .onceEach(
                        database.dataSource(),
                        "billing",
                        events,
                        (connection, fresh) -> assertThat(fresh).isNotEmpty())
                .stream()
                .map(Event::source)
                .toList();
    }

    private static Event event(String source) {
        return Event.builder()
                .id(ID)
                .source(source)
                .type("order.placed")
                .json("{}")
                .build();
    }
}
