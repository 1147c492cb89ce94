package dev.posthorn.server.subscriptions;

import static dev.posthorn.server.subscriptions.Publishing.event;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.relay.LiveLanes;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.server.TestHub;
import dev.posthorn.testkit.Receiver;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Two instances on one database. */
class TwoHubsTest {

    private static final String DOCUMENT =
            "{\"filter\": {\"types\": [\"%s\"]}, \"lanes\": 4, \"sink\": {\"kind\": \"http\", \"url\": \"%s\"}}";

    private static TestHub one;
    private static TestHub other;

    @BeforeAll
    static void start() {
        String database = TestHub.newDatabase();
        one = TestHub.startOn(database, Map.of("posthorn.relay.instance", "one"));
        other = TestHub.startOn(database, Map.of("posthorn.relay.instance", "other"));
    }

    @AfterAll
    static void stop() {
        other.close();
        one.close();
    }

    @Test
    void bothShareTheLanesAndAChangeMadeAtOneIsServedByTheOtherWithinASecond() {
        try (Receiver receiver = Receiver.start()) {
            put("shared", DOCUMENT.formatted("shared", receiver.url("/before")), 201);
            await().atMost(60, SECONDS).until(() -> areShared("shared", List.of()));
            publish("shared");
            await().atMost(60, SECONDS).until(() -> receiver.types("/before").size() == 20);

            List<Lane> former = lanes("shared");
            put("shared", DOCUMENT.formatted("shared", receiver.url("/after")), 200);
            await().atMost(60, SECONDS).until(() -> areShared("shared", former));
            publish("shared");
            await().atMost(60, SECONDS).until(() -> receiver.requests().size() == 40);
            assertThat(receiver.types("/after")).hasSize(20);
            assertReadWithinASecond(receiver);
        }
    }

    /** Three changes in a row: a machine that is busy with other things may need to be asked more often. */
    private static void assertReadWithinASecond(Receiver receiver) {
        int inARow = 0;
        for (int revision = 3; revision < 30 && inARow < 3; revision++) {
            long changed = System.nanoTime();
            put("shared", DOCUMENT.formatted("shared", receiver.url("/" + revision)), 200);
            int expected = revision;
            await().pollInterval(Duration.ofMillis(5))
                    .atMost(60, SECONDS)
                    .until(() -> isServedAt(other, "shared", expected));
            inARow = System.nanoTime() - changed < SECONDS.toNanos(1) ? inARow + 1 : 0;
        }
        assertThat(inARow).as("the other one has read the change").isEqualTo(3);
    }

    /** It was answered at once, and whoever then took the receiver away saw requests fail for another second. */
    @Test
    void whenAPauseIsAnsweredNeitherSendsAnyMore() {
        try (Receiver receiver = Receiver.start()) {
            put("halted", DOCUMENT.formatted("halted", receiver.url("/")), 201);
            await().atMost(60, SECONDS).until(() -> areShared("halted", List.of()));
            publish("halted");
            await().atMost(60, SECONDS).until(() -> receiver.requests().size() == 20);

            PatientCalls.pause(one.rest(), "halted");
            publish("halted");
            await().during(1500, MILLISECONDS)
                    .atMost(60, SECONDS)
                    .until(() -> receiver.requests().size() == 20);
            one.rest().post("/v1/subscriptions/halted/resume");
            await().atMost(60, SECONDS).until(() -> receiver.requests().size() == 40);
        }
    }

    @Test
    void whatIsDeletedAtOneIsGoneAtBothAndCanBeMadeAnewAtTheOther() {
        try (Receiver receiver = Receiver.start()) {
            put("gone", DOCUMENT.formatted("gone", receiver.url("/first")), 201);
            await().atMost(60, SECONDS).until(() -> areShared("gone", List.of()));
            PatientCalls.delete(one.rest(), "gone");
            assertThat(other.rest().get("/v1/subscriptions/gone").status()).isEqualTo(404);
            assertThat(one.bean(Subscriptions.class).list())
                    .extracting(Subscriptions.Stored::name)
                    .doesNotContain("gone");
            assertThat(other.rest()
                            .put("/v1/subscriptions/gone", DOCUMENT.formatted("gone", receiver.url("/second")))
                            .status())
                    .isEqualTo(201);
            publish("gone");
            await().atMost(60, SECONDS).until(() -> receiver.requests().size() == 20);
            assertThat(receiver.types("/second")).hasSize(20);
        }
    }

    private static void put(String name, String document, int status) {
        assertThat(one.rest().put("/v1/subscriptions/" + name, document).status())
                .isEqualTo(status);
    }

    private static boolean isServedAt(TestHub hub, String name, long revision) {
        return hub.bean(SubscriptionKeeper.class).isServedAt(name, revision);
    }

    /** Both have two lanes, and none of those that were there before. */
    private static boolean areShared(String subscription, List<Lane> former) {
        return lanes(one, subscription).size() == 2
                && lanes(other, subscription).size() == 2
                && Collections.disjoint(lanes(subscription), former);
    }

    private static List<Lane> lanes(String subscription) {
        return Stream.of(one, other)
                .flatMap(hub -> lanes(hub, subscription).stream())
                .toList();
    }

    private static List<Lane> lanes(TestHub hub, String subscription) {
        return LiveLanes.of(hub.bean(RelayKeeper.class).relay(), subscription);
    }

    private static void publish(String type) {
        List<Event> events =
                IntStream.range(0, 20).mapToObj(i -> event(type, "k" + i)).toList();
        Publishing.publish(one, events);
    }
}
