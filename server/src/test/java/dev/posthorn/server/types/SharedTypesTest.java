package dev.posthorn.server.types;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.RecordedAtHub;
import dev.posthorn.server.TestHub;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two hubs on one database. */
@Tag("slow")
class SharedTypesTest {

    private static TestHub one;
    private static TestHub other;

    @BeforeAll
    static void start() {
        String database = TestHub.newDatabase();
        one = TestHub.startOn(database, Map.of());
        other = TestHub.startOn(database, Map.of());
    }

    @AfterAll
    static void stop() {
        one.close();
        other.close();
    }

    private static int publish(TestHub hub, String type) {
        return hub.rest()
                .post("/v1/events", "{\"source\":\"s\",\"type\":\"" + type + "\",\"data\":1}")
                .status();
    }

    @Test
    void aChangeReachesTheOtherHubWithinASecond() {
        assertThat(publish(other, "shared")).isEqualTo(202);
        boolean both = false;
        // A machine that is busy with other things may need to be asked more than once.
        for (int i = 0; i < 5 && !both; i++) {
            boolean put = isSeenInTime(() -> one.rest().put("/v1/event-types/shared", "{\"jsonSchema\": false}"), 400);
            boolean deleted = isSeenInTime(() -> one.rest().delete("/v1/event-types/shared"), 202);
            both = put && deleted;
        }
        assertThat(both).as("within a second, and one more for the calls").isTrue();
    }

    private static boolean isSeenInTime(Runnable change, int status) {
        long begun = System.nanoTime();
        change.run();
        await().atMost(60, SECONDS).until(() -> publish(other, "shared") == status);
        return System.nanoTime() - begun < SECONDS.toNanos(2);
    }

    /** Both are of revision 1, and the other hub seldom looks between them. */
    @Test
    void aTypeMadeAnewElsewhereIsNotTakenForTheOldOne() {
        for (int i = 0; i < 6; i++) {
            boolean allowed = i % 2 == 0;
            one.rest().delete("/v1/event-types/anew");
            one.rest().put("/v1/event-types/anew", "{\"jsonSchema\": " + allowed + "}");
            await().atMost(60, SECONDS).until(() -> publish(other, "anew") == (allowed ? 202 : 400));
        }
    }

    /** The other hub has not read the type yet, and takes it for unknown. */
    @Test
    void aTypeThatWasJustRegisteredElsewhereIsNotTakenForUnknown() {
        for (int i = 0; i < 20; i++) {
            one.rest().put("/v1/event-types/fresh." + i, "{\"jsonSchema\": false}");
            assertThat(publish(other, "fresh." + i)).isEqualTo(400);
        }
    }

    @Test
    void manyWhoSeeTheSameTypesFirstAllSucceed() throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(8);
        try {
            for (int round = 0; round < 10; round++) {
                List<Callable<Integer>> calls = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    TestHub hub = i % 2 == 0 ? one : other;
                    String batch = batch(round, i % 4 < 2);
                    calls.add(() -> hub.rest().post("/v1/events", batch).status());
                }
                for (Future<Integer> answer : callers.invokeAll(calls)) {
                    assertThat(answer.get()).isEqualTo(202);
                }
            }
        } finally {
            callers.shutdownNow();
        }
        assertThat(RecordedAtHub.all(one).stream().filter(event -> event.type().startsWith("race.")))
                .hasSize(10 * 8 * 5);
    }

    private static String batch(int round, boolean backwards) {
        List<String> events = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = backwards ? 4 - i : i;
            events.add("{\"source\":\"s\",\"type\":\"race.%d.%d\",\"data\":1}".formatted(round, number));
        }
        return events.toString();
    }
}
