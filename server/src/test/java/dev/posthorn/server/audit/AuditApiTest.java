package dev.posthorn.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What {@code GET /v1/audit} answers. Who may ask stands in the table of roles. */
class AuditApiTest {

    private static TestHub hub;

    @BeforeAll
    static void startWithFiveEntries() {
        hub = TestHub.start();
        write(new Actor("ann", "r1"), new Act("replay.start", "replay/1", Map.of("type", "a"), 7L, "it is back"));
        write(new Actor("ann", "r2"), Act.of("replay.pause", "replay/1"));
        write(new Actor("bob", "r3"), Act.of("replay.start", "replay/10"));
        write(new Actor("bob", "r4"), Act.of("subscription.pause", "subscription/orders"));
        write(Actor.named("hub"), Act.of("key.configure", "key/admin"));
    }

    private static void write(Actor actor, Act act) {
        hub.bean(Database.class).queries().run("writing", t -> {
            Audit.write(t, actor, act);
            return true;
        });
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    private static TestClient.Answer get(String query) {
        return hub.rest().get("/v1/audit" + query);
    }

    private static List<Long> ids(TestClient.Answer answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        List<Long> ids = new ArrayList<>();
        answer.json().path("items").forEach(each -> ids.add(each.path("id").asLong()));
        return ids;
    }

    @Test
    void anEntryHasEverythingThatIsKnownAndNothingElse() {
        JsonNode entry = get("?requestId=r1").json().path("items").get(0);
        assertThat(entry.path("actor").asString()).isEqualTo("ann");
        assertThat(entry.path("action").asString()).isEqualTo("replay.start");
        assertThat(entry.path("target").asString()).isEqualTo("replay/1");
        assertThat(entry.path("detail").toString()).isEqualTo("{\"type\":\"a\"}");
        assertThat(entry.path("count").asLong()).isEqualTo(7);
        assertThat(entry.path("reason").asString()).isEqualTo("it is back");
        assertThat(entry.path("requestId").asString()).isEqualTo("r1");
        assertThat(entry.path("doneAt").asString()).endsWith("Z");
        JsonNode bare = get("?actor=hub").json().path("items").get(0);
        assertThat(bare.has("count") || bare.has("reason") || bare.has("requestId"))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                                | 5 4 3 2 1
            ?actor=ann                        | 2 1
            ?action=replay.start              | 3 1
            ?action=replay.                   | 3 2 1
            ?action=replay                    | ''
            ?target=replay/1                  | 2 1
            ?target=replay/                   | 3 2 1
            ?target=subscription%2F           | 4
            ?requestId=r3                     | 3
            ?actor=bob&action=replay.         | 3
            ?actor=%25                        | ''
            ?from=2000-01-01T00:00:00Z        | 5 4 3 2 1
            ?to=2000-01-01T00:00:00Z          | ''
            ?from=2999-01-01T00:00:00%2B01:00 | ''
            """)
    void everyFilterNarrowsTheList(String query, String expected) {
        assertThat(ids(get(query)).stream().map(String::valueOf).toList())
                .isEqualTo(List.of(expected.split(" ", -1)).stream()
                        .filter(each -> !each.isEmpty())
                        .toList());
    }

    /** Spring binds headers to the fields of a record, unless it is told not to. */
    @Test
    void aHeaderIsNoFilter() {
        TestClient.Answer answer = hub.rest()
                .with("From", "ann@example.org")
                .with("Actor", "nobody")
                .get("/v1/audit");
        assertThat(ids(answer)).isEqualTo(ids(get(""))).isNotEmpty();
    }

    @Test
    void pagesFollowOneAnother() {
        for (String filter : List.of("", "&from=2000-01-01T00:00:00Z")) {
            List<Long> seen = new ArrayList<>();
            String after = "";
            do {
                TestClient.Answer page = get("?limit=2" + filter + after);
                assertThat(ids(page)).hasSizeLessThanOrEqualTo(2);
                seen.addAll(ids(page));
                after = page.json().has("next")
                        ? "&after=" + page.json().path("next").asString()
                        : null;
            } while (after != null);
            assertThat(seen).containsExactly(5L, 4L, 3L, 2L, 1L);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ?limit=0                                               | limit
            ?limit=1001                                            | limit
            ?after=nonsense                                        | after
            ?after=eA                                              | after
            ?from=yesterday                                        | from
            ?to=2026-01-31                                         | to
            ?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z     | from must be before to
            ?actor=                                                | actor
            ?action=%00                                            | action
            ?reqestId=x                                            | requestId
            """)
    void whatCannotBeMeantIsRefusedByName(String query, String words) {
        TestClient.Answer answer = get(query);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.json().path("detail").asString()).contains(words);
    }
}
