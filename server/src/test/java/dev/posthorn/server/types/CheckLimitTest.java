package dev.posthorn.server.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.event.Event;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.Violation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Forty-five Protobuf payloads of the greatest size at a time stopped a hub with a heap of 512 MB. */
class CheckLimitTest {

    private static final int LARGE = 100_000;

    private final CheckLimit room = new CheckLimit(2 * LARGE, Duration.ofMillis(100));

    /** From Java 25 on the common pool has one thread on two cores, and the second would wait for the first. */
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private static Event event(int length) {
        return Event.builder().source("s").type("t").payload(new byte[length]).build();
    }

    @Test
    void whatWouldFillTheMemoryIsToldToComeAgainAndSmallPayloadsPass() throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch end = new CountDownLatch(1);
        PayloadCheck check = room.within(event -> {
            begun.countDown();
            await(end);
            return List.of();
        });
        CompletableFuture<List<Violation>> first =
                CompletableFuture.supplyAsync(() -> check.violations(event(LARGE - 10_000)), threads);
        CompletableFuture<List<Violation>> second =
                CompletableFuture.supplyAsync(() -> check.violations(event(LARGE - 10_000)), threads);
        begun.await();
        assertThatThrownBy(() -> check.violations(event(LARGE)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("as many large payloads as it has memory for");
        assertThat(room.within(event -> List.of()).violations(event(1_000))).isEmpty();
        end.countDown();
        assertThat(first.join()).isEmpty();
        assertThat(second.join()).isEmpty();
        assertThat(check.violations(event(LARGE))).isEmpty();
    }

    @Test
    void oneThatIsLargerThanTheRoomHasItToItself() {
        assertThat(room.within(event -> List.of()).violations(event(10 * LARGE)))
                .isEmpty();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
