package dev.posthorn.inbox;

import static dev.posthorn.inbox.Claim.CONFLICT;
import static dev.posthorn.inbox.Claim.DUPLICATE;
import static dev.posthorn.inbox.Claim.FRESH;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.posthorn.TestDatabase;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Transactions that claim the same at the same time. */
class InboxRacesTest {

    private static final String WAITING = """
            SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%inbox_entry%'
            """;

    private final TestDatabase database = TestDatabase.create();
    private final Inbox inbox = Inbox.create();
    private final ExecutorService pool = Executors.newFixedThreadPool(2);

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    /** Each has half of them when a third transaction lets go of the one in the middle, if they go their own ways. */
    @Test
    void twoBatchesInOppositeOrderDoNotDeadlockAndEachIdIsFreshOnce() throws Exception {
        List<UUID> ids = Stream.generate(UUID::randomUUID).limit(1_000).sorted().toList();
        List<UUID> opposite = new ArrayList<>(ids);
        Collections.reverse(opposite);
        try (Connection middle = database.transaction()) {
            inbox.claim(middle, "billing", entries(List.of(ids.get(500))));
            Future<List<Claim>> one = pool.submit(() -> claimAndCommit(ids));
            Future<List<Claim>> other = pool.submit(() -> claimAndCommit(opposite));
            awaitWaiting(2);
            middle.rollback();
            List<Claim> forwards = one.get(60, SECONDS);
            List<Claim> backwards = new ArrayList<>(other.get(60, SECONDS));
            Collections.reverse(backwards);
            for (int i = 0; i < ids.size(); i++) {
                assertThat(List.of(forwards.get(i), backwards.get(i))).containsExactlyInAnyOrder(FRESH, DUPLICATE);
            }
        }
    }

    @Test
    void theDigestOfWhomItWaitedForIsSeen() throws Exception {
        UUID same = UUID.randomUUID();
        UUID other = UUID.randomUUID();
        try (Connection first = database.transaction()) {
            inbox.claim(first, "billing", List.of(entry(same, 1), entry(other, 1)));
            Future<List<Claim>> second = pool.submit(() -> claimAndCommit(entry(same, 1), entry(other, 2)));
            awaitWaiting(1);
            first.commit();
            assertThat(second.get(60, SECONDS)).containsExactly(DUPLICATE, CONFLICT);
        }
    }

    @Test
    void whoeverWaitedForARollbackHasIt() throws Exception {
        UUID id = UUID.randomUUID();
        try (Connection first = database.transaction()) {
            inbox.claim(first, "billing", List.of(entry(id, 1)));
            Future<List<Claim>> second = pool.submit(() -> claimAndCommit(entry(id, 2)));
            awaitWaiting(1);
            first.rollback();
            assertThat(second.get(60, SECONDS)).containsExactly(FRESH);
        }
    }

    @Test
    void underRepeatableReadAnEntryOfALaterCommitAsksForARepetition() throws Exception {
        UUID id = UUID.randomUUID();
        try (Connection repeatable = database.dataSource("repeatable read").getConnection()) {
            repeatable.setAutoCommit(false);
            inbox.claim(repeatable, "billing", entries(List.of(UUID.randomUUID())));
            claimAndCommit(entry(id, 1));
            assertThatThrownBy(() -> inbox.claim(repeatable, "billing", List.of(entry(id, 1))))
                    .isInstanceOfSatisfying(PosthornException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.DATABASE);
                        assertThat(((SQLException) e.getCause()).getSQLState()).isEqualTo("40001");
                    });
            repeatable.rollback();
            assertThat(inbox.claim(repeatable, "billing", List.of(entry(id, 1))))
                    .containsExactly(DUPLICATE);
        }
    }

    private void awaitWaiting(long transactions) {
        await().atMost(Duration.ofSeconds(60)).until(() -> database.number(WAITING) == transactions);
    }

    private List<Claim> claimAndCommit(List<UUID> ids) throws SQLException {
        return claimAndCommit(entries(ids).toArray(InboxEntry[]::new));
    }

    private List<Claim> claimAndCommit(InboxEntry... entries) throws SQLException {
        try (Connection connection = database.transaction()) {
            List<Claim> claims = inbox.claim(connection, "billing", List.of(entries));
            connection.commit();
            return claims;
        }
    }

    private static List<InboxEntry> entries(List<UUID> ids) {
        return ids.stream().map(id -> new InboxEntry(id, null)).toList();
    }

    private static InboxEntry entry(UUID id, int digest) {
        return new InboxEntry(id, new byte[] {(byte) digest});
    }
}
