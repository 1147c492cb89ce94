package dev.posthorn.server.guard;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Queries;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Hubs that end in the middle of a forward, and what time does to what they leave behind. */
class KilledForwardTest {

    private static final String DATABASE = TestHub.newDatabase();
    private static final byte[] DIGEST = {1};

    private static TestHub hub;

    private final TargetSystem target = new TargetSystem();
    private final UUID id = UUID.randomUUID();

    @BeforeAll
    static void start() {
        hub = TestHub.startOn(DATABASE, Map.of());
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @AfterEach
    void close() {
        target.close();
    }

    private static Queries queries() {
        return hub.bean(Database.class).queries();
    }

    private static ForwardStore store() {
        return new ForwardStore(queries(), "another");
    }

    private Event event() {
        return Event.builder().id(id).source("shop").type("t").json("{}").build();
    }

    private ForwardState state(String guard) {
        return hub.bean(ForwardStore.class)
                .find(guard, id.toString(), null)
                .orElseThrow()
                .state();
    }

    @Test
    void theRowIsThereBeforeTheTargetHasTheRequest() {
        target.fallsSilent();
        Guarding guard = Guarding.of(hub.rest(), "early", target, ", \"timeout\": \"1m\"");
        CompletableFuture<Answer> posted = CompletableFuture.supplyAsync(() -> guard.post(id));
        await().atMost(60, SECONDS).until(() -> target.acted().size() == 1);
        assertThat(state("early")).isEqualTo(ForwardState.FORWARDING);
        assertThat(Guarding.problem(guard.post(id)))
                .as("while it is on its way")
                .isEqualTo("409 conflict");
        target.close();
        assertThat(Guarding.problem(posted.join())).isEqualTo("409 in-doubt");
    }

    @Test
    void aHubThatIsStoppedLeavesItInDoubt() {
        target.fallsSilent();
        TestHub stopped = TestHub.startOn(DATABASE, Map.of("posthorn.relay.instance", "stopped"));
        CompletableFuture<Verdict> verdict = new CompletableFuture<>();
        try (stopped) {
            Guarding.of(stopped.rest(), "stopped", target, ", \"timeout\": \"1m\"");
            stopped.bean(Forwarder.class)
                    .forward(
                            "stopped",
                            new RecordedEvent(0, event(), Instant.now()),
                            Duration.ofMinutes(1),
                            () -> true,
                            verdict::complete);
            await().atMost(60, SECONDS).until(() -> target.acted().size() == 1);
        }
        assertThat(verdict.join()).isInstanceOf(Verdict.InDoubt.class);
        target.answers(200);
        assertThat(state("stopped")).isEqualTo(ForwardState.IN_DOUBT);
        assertThat(target.acted()).hasSize(1);
    }

    /** Of a hub that was killed nothing is left but the row, and the database's clock. */
    @Test
    void aHubThatIsKilledLeavesItInDoubtOnceItsTimeIsUp() {
        Guarding guard = Guarding.of(hub.rest(), "killed", target, "");
        claimAsTheHubDoes(guard);
        assertThat(state("killed")).isEqualTo(ForwardState.FORWARDING);
        assertThat(Guarding.problem(guard.post(id))).isEqualTo("409 conflict");
        letItsTimeBeUp();
        await().atMost(60, SECONDS).until(() -> state("killed") == ForwardState.IN_DOUBT);
        assertThat(guard.forward(id).path("reason").asString()).contains("instance another ended");
        assertThat(Guarding.problem(guard.post(id))).isEqualTo("409 in-doubt");
        assertThat(target.acted()).as("only what showed the digest").hasSize(1);
    }

    /** With the digest of the event that is posted afterwards, from a row that the hub itself made. */
    private void claimAsTheHubDoes(Guarding guard) {
        guard.post(id);
        byte[] digest = queries()
                .run(
                        "reading a digest",
                        t -> t.first(
                                        "DELETE FROM posthorn.guard_forward WHERE event_id = :id RETURNING digest",
                                        Map.of("id", id),
                                        row -> row.getBytes("digest"))
                                .orElseThrow());
        store().claim(guard.name(), event(), digest, Duration.ofHours(1));
    }

    private void letItsTimeBeUp() {
        String sql = "UPDATE posthorn.guard_forward SET due_at = due_at - interval '2 hours' WHERE event_id = :id";
        queries().run("letting time pass", t -> t.update(sql, Map.of("id", id)));
    }

    @Test
    void aResultThatComesLateStillSettlesTheDoubtButNoLaterRequest() {
        ForwardStore store = store();
        Result delivered = new Result(ForwardState.FORWARDED, new Outcome.Delivered(new Reply(200, "a\0b")));
        store.claim("late", event(), DIGEST, Duration.ZERO);
        await().atMost(60, SECONDS).until(() -> state("late") == ForwardState.IN_DOUBT);
        Result doubt = Result.inDoubt(new Outcome.Retry("slow"));
        assertThat(store.settle("late", id, 1, doubt, UnaryOperator.identity())).isFalse();
        assertThat(store.settle("late", id, 2, delivered, UnaryOperator.identity()))
                .isFalse();
        assertThat(store.settle("late", id, 1, delivered, UnaryOperator.identity()))
                .isTrue();
        assertThat(state("late")).isEqualTo(ForwardState.FORWARDED);
        assertThat(store.settle("late", id, 1, doubt, UnaryOperator.identity())).isFalse();
    }

    @Test
    void whatIsOldIsForgottenButNeverWhatIsInDoubt() {
        ForwardStore store = store();
        for (int i = 0; i < 5; i++) {
            Event event = Event.builder().source("shop").type("t").json("{}").build();
            store.claim("old", event, DIGEST, Duration.ofHours(1));
            store.settle("old", event.id(), 1, new Result(ForwardState.FORWARDED, Outcome.DELIVERED), text -> text);
        }
        store.claim("old", event(), DIGEST, Duration.ZERO);
        queries().run("making them old", t -> {
            t.update(
                    "UPDATE posthorn.guard_forward SET changed_at = changed_at - interval '31 days' WHERE guard = 'old'",
                    Map.of());
            return true;
        });
        assertThat(store.trim(Duration.ofDays(32), 3)).isZero();
        assertThat(store.trim(Duration.ofDays(30), 3)).isEqualTo(3);
        assertThat(store.trim(Duration.ofDays(30), 3)).isEqualTo(2);
        assertThat(store.trim(Duration.ofDays(30), 3)).isZero();
        assertThat(state("old")).isEqualTo(ForwardState.IN_DOUBT);
    }
}
