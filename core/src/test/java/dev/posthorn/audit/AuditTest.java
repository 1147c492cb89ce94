package dev.posthorn.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.TestDatabase;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AuditTest {

    private static final Actor ANN = new Actor("ann", "request-1");

    private TestDatabase database;
    private Queries queries;
    private Audit audit;

    @BeforeEach
    void createDatabase() {
        database = TestDatabase.create();
        queries = new Queries(database.dataSource(), SchemaName.DEFAULT);
        audit = new Audit(database.dataSource(), SchemaName.DEFAULT);
    }

    private void write(Actor actor, Act act) {
        queries.run("writing", t -> {
            Audit.write(t, actor, act);
            return true;
        });
    }

    private List<String> find(UnaryOperator<AuditQuery.Builder> query) {
        return audit.find(query.apply(AuditQuery.builder()).build()).entries().stream()
                .map(each -> each.act().action() + " " + each.act().target())
                .toList();
    }

    @Test
    void anEntryTellsWhoDidWhatWhenAndWhy() {
        Map<String, String> detail = Map.of("type", "a'b\"c\\d é 😀", "from", "2026-01-01T00:00:00Z");
        Act act = new Act("replay.start", "replay/7", detail, 12L, "the receiver is back");
        Instant before = now();
        write(ANN, act);
        write(Actor.named("bob"), Act.of("replay.cancel", "replay/7"));

        List<AuditEntry> entries = audit.find(AuditQuery.ALL).entries();
        assertThat(entries).extracting(AuditEntry::actor).containsExactly(Actor.named("bob"), ANN);
        assertThat(entries.get(0).act()).isEqualTo(Act.of("replay.cancel", "replay/7"));
        assertThat(entries.get(1).act()).isEqualTo(act);
        assertThat(entries.get(1).doneAt()).isBetween(before, now());
    }

    private Instant now() {
        return queries.run(
                "asking for the time",
                t -> t.first("SELECT posthorn.clock() AS now", Map.of(), row -> Queries.time(row, "now"))
                        .orElseThrow());
    }

    @Test
    void everyFieldOfAQueryNarrowsIt() {
        write(ANN, Act.of("replay.start", "replay/1"));
        write(Actor.named("bob"), Act.of("replay.start", "replay/12"));
        write(Actor.named("bob"), Act.of("replays", "replay"));
        write(Actor.named("zoe"), Act.of("replay/next", "replay0"));
        write(new Actor("eve", "request-2"), Act.of("key.create", "key/shop%_"));

        assertThat(find(q -> q)).hasSize(5).first().isEqualTo("key.create key/shop%_");
        assertThat(find(q -> q.actor("ann"))).containsExactly("replay.start replay/1");
        assertThat(find(q -> q.actor("ANN"))).isEmpty();
        assertThat(find(q -> q.action("replay.start"))).hasSize(2);
        assertThat(find(q -> q.action("replay."))).hasSize(2);
        assertThat(find(q -> q.action("replay"))).isEmpty();
        assertThat(find(q -> q.action("%."))).isEmpty();
        assertThat(find(q -> q.target("replay/1"))).containsExactly("replay.start replay/1");
        assertThat(find(q -> q.target("replay/"))).hasSize(2);
        assertThat(find(q -> q.target("replay/").target("replay"))).containsExactly("replays replay");
        assertThat(find(q -> q.target("key/shop%_"))).hasSize(1);
        assertThat(find(q -> q.target("key/%"))).isEmpty();
        assertThat(find(q -> q.requestId("request-2"))).containsExactly("key.create key/shop%_");
        assertThat(find(q -> q.actor("bob").action("replay.").target("replay/12")))
                .containsExactly("replay.start replay/12");
        assertThat(find(q -> q.actor("bob").action("key."))).isEmpty();
    }

    @Test
    void timesAreFromAndBefore() {
        write(ANN, Act.of("key.create", "key/a"));
        write(ANN, Act.of("key.create", "key/b"));
        Instant second = audit.find(AuditQuery.ALL).entries().get(0).doneAt();
        assertThat(find(q -> q.from(second))).containsExactly("key.create key/b");
        assertThat(find(q -> q.to(second))).containsExactly("key.create key/a");
        assertThat(find(q -> q.from(second).to(second.plusSeconds(1)))).containsExactly("key.create key/b");
    }

    @Test
    void pagesNeitherRepeatNorMissWhatWasThereFromTheBeginning() {
        assertPaged(q -> q.action("key."));
    }

    @Test
    void pagesOfATimeDoNotEither() {
        assertPaged(q -> q.from(Instant.EPOCH).action("key."));
    }

    /** A minute each, the third written as if the clock had been put back to the first one's time. */
    private void assertPaged(UnaryOperator<AuditQuery.Builder> query) {
        for (int i = 1; i <= 5; i++) {
            database.execute("INSERT INTO posthorn.audit (done_at, actor, action, target) VALUES (timestamptz"
                    + " '2026-01-01Z' + %d * interval '1 minute', 'ann', 'key.create', 'key/%d')"
                            .formatted(i == 3 ? 1 : i, i));
        }
        List<String> whole = find(query);
        assertThat(whole).hasSize(5);
        List<String> seen = new ArrayList<>();
        String cursor = null;
        do {
            AuditPage page = audit.find(
                    query.apply(AuditQuery.builder()).pageSize(2).cursor(cursor).build());
            page.entries()
                    .forEach(each ->
                            seen.add(each.act().action() + " " + each.act().target()));
            cursor = page.cursor();
            write(ANN, Act.of("key.create", "key/later"));
        } while (cursor != null);
        assertThat(seen).isEqualTo(whole);
        assertThat(find(q -> q.cursor("3").cursor(null))).hasSize(8);
    }

    @Test
    void whatCannotBeMeantIsRefusedByName() {
        AuditQuery.Builder query = AuditQuery.builder();
        assertRefused(() -> query.actor(""), "actor is empty");
        assertRefused(() -> query.action("a\0"), "action holds a NUL");
        assertRefused(() -> query.target("x".repeat(1_001)), "target has 1001 characters");
        assertRefused(() -> query.requestId("x".repeat(256)), "requestId has 256 characters");
        assertRefused(() -> query.from(Instant.MAX), "from is");
        assertRefused(() -> query.pageSize(0), "pageSize is 0");
        assertRefused(() -> query.pageSize(1_001), "pageSize is 1001");
        assertRefused(() -> query.cursor("-1"), "cursor '-1'");
        assertRefused(() -> query.from(Instant.EPOCH).to(Instant.EPOCH).build(), "from must be before to");
        assertRefused(() -> Actor.named(" "), "requestedBy is missing");
        assertRefused(() -> Actor.named("x".repeat(256)), "requestedBy has 256 characters");
    }

    private static void assertRefused(ThrowingCallable call, String words) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
                .hasMessageContaining(words);
    }

    @Test
    void aLongTextIsCutAndNeverWithinACharacter() {
        String odd = "x" + "😀".repeat(Act.LONGEST_TEXT);
        write(ANN, Act.of("key.create", "key/a", Map.of("even", odd.substring(1), "odd", odd, "short", "s")));
        Map<String, String> detail =
                audit.find(AuditQuery.ALL).entries().get(0).act().detail();
        assertThat(detail).containsEntry("short", "s");
        assertThat(detail.get("even")).endsWith("😀…").hasSizeBetween(Act.LONGEST_TEXT - 1, Act.LONGEST_TEXT);
        assertThat(detail.get("odd")).endsWith("😀…").hasSizeBetween(Act.LONGEST_TEXT - 1, Act.LONGEST_TEXT);
    }

    @Test
    void whatIsRolledBackLeavesNoEntry() {
        assertThatThrownBy(() -> queries.run("changing", t -> {
                    Audit.write(t, ANN, Act.of("key.create", "key/a"));
                    throw new IllegalStateException("changed its mind");
                }))
                .hasMessage("changed its mind");
        assertThat(find(q -> q)).isEmpty();
    }

    @Test
    void nobodyChangesWhatIsWritten() throws SQLException {
        assertThat(database.value("SELECT pg_has_role(tableowner, 'MEMBER') FROM pg_tables WHERE tablename = 'audit'"))
                .as("this test speaks for the owner")
                .isEqualTo("t");
        write(ANN, Act.of("key.create", "key/a"));
        for (String sql : new String[] {
            "UPDATE posthorn.audit SET actor = 'eve'",
            "UPDATE posthorn.audit SET actor = 'eve' WHERE false",
            "DELETE FROM posthorn.audit",
            "DELETE FROM posthorn.audit WHERE false",
            "TRUNCATE posthorn.audit",
            "INSERT INTO posthorn.audit (id, actor, action, target) OVERRIDING SYSTEM VALUE"
                    + " SELECT id, 'eve', action, target FROM posthorn.audit"
                    + " ON CONFLICT (id) DO UPDATE SET actor = 'eve'"
        }) {
            assertThatThrownBy(() -> execute(sql))
                    .as(sql)
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"))
                    .hasMessageContaining("the audit can only be added to");
        }
        assertThat(audit.find(AuditQuery.ALL).entries())
                .extracting(AuditEntry::actor)
                .containsExactly(ANN);
    }

    /** As docs/audit.md tells the owner to do. */
    @Test
    void theOwnerCanMoveOldEntriesAwayAndTheRestStaysGuarded() throws SQLException {
        write(ANN, Act.of("key.create", "key/a"));
        execute("""
                BEGIN;
                LOCK TABLE posthorn.audit IN ACCESS EXCLUSIVE MODE;
                CREATE TABLE audit_until_2999 AS SELECT * FROM posthorn.audit WHERE done_at < '3000-01-01Z';
                ALTER TABLE posthorn.audit DISABLE TRIGGER audit_append_only;
                DELETE FROM posthorn.audit WHERE done_at < '3000-01-01Z';
                ALTER TABLE posthorn.audit ENABLE TRIGGER audit_append_only;
                COMMIT;
                """);
        assertThat(database.number("SELECT count(*) FROM audit_until_2999")).isOne();
        write(ANN, Act.of("key.create", "key/b"));
        assertThat(find(q -> q)).containsExactly("key.create key/b");
        assertThat(audit.find(AuditQuery.ALL).entries().get(0).id()).isEqualTo(2);
        assertThatThrownBy(() -> execute("DELETE FROM posthorn.audit")).hasMessageContaining("can only be added to");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
