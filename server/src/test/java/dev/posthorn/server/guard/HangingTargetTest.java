package dev.posthorn.server.guard;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.Liveness;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A system that does not answer takes its own share of the hub's requests, and no more. */
class HangingTargetTest {

    private static final int PLACES = 16;
    private static final int PER_GUARD = PLACES / 4;

    @Test
    void oneHangingTargetLeavesTheOthersAndThePublishersTheirs() throws Exception {
        ExecutorService crowd = Executors.newFixedThreadPool(2 * PLACES);
        try (TestHub hub = TestHub.start(Map.of("posthorn.limits.concurrent-requests", PLACES));
                TargetSystem hanging = new TargetSystem();
                TargetSystem fine = new TargetSystem()) {
            hanging.fallsSilent();
            Guarding stuck = Guarding.of(hub.rest(), "stuck", hanging, ", \"timeout\": \"1m\"");
            Guarding quick = Guarding.of(hub.rest(), "quick", fine, "");
            List<CompletableFuture<Answer>> calls = IntStream.range(0, 2 * PLACES)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> stuck.post(UUID.randomUUID()), crowd))
                    .toList();
            await().atMost(50, SECONDS).until(() -> hanging.acted().size() == PER_GUARD);
            await().atMost(50, SECONDS).until(() -> waiting(calls) == PER_GUARD);
            Liveness.assertAnswers(hub);
            assertThat(hub.rest()
                            .post("/v1/events", "{\"source\": \"s\", \"type\": \"t\", \"data\": 1}")
                            .status())
                    .isEqualTo(202);
            // The last of those that were turned away may not have left their places yet.
            await().atMost(30, SECONDS)
                    .until(() -> quick.post(UUID.randomUUID()).status() == 200);
            assertThat(waiting(calls)).as("still hanging").isEqualTo(PER_GUARD);
            hanging.goesAway();
            List<Answer> answers = calls.stream().map(CompletableFuture::join).toList();
            assertThat(hanging.acted()).hasSize(PER_GUARD);
            assertThat(answers).filteredOn(each -> each.status() == 409).hasSize(PER_GUARD);
            assertThat(answers).filteredOn(each -> each.status() != 409).allSatisfy(each -> {
                assertThat(each.status()).as(each.text()).isEqualTo(503);
                assertThat(each.text()).contains("has not acted");
                assertThat(each.header("Retry-After")).isNotEmpty();
            });
        } finally {
            crowd.shutdownNow();
        }
    }

    private static long waiting(List<CompletableFuture<Answer>> calls) {
        return calls.stream().filter(call -> !call.isDone()).count();
    }
}
