package dev.posthorn.server.subscriptions;

import static dev.posthorn.server.subscriptions.Publishing.event;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import dev.posthorn.log.Queries;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.database.DatabaseKeeper;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Request;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A filter that is changed again before the first change took effect, at one of two hubs or at both. */
@Tag("slow")
class ChangedMindTest {

    private static TestHub one;
    private static TestHub other;

    private final Receiver receiver = Receiver.start();
    private final Set<String> made = new LinkedHashSet<>();

    /** What was published: when the hub had said that the filter is in force, and whether after the last answer. */
    private record Published(String id, boolean active, boolean afterwards) {}

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

    @AfterEach
    void close() {
        made.forEach(name -> one.rest().delete("/v1/subscriptions/" + name));
        receiver.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 60, 200, 600})
    void changedAndChangedBackUnderLoadLosesNothing(int millisBetween) {
        String name = "back" + millisBetween;
        put(one, name, "a.*");
        await().atMost(60, SECONDS).until(() -> isActive(one, name));
        Queue<Published> published = new ConcurrentLinkedQueue<>();
        AtomicBoolean answered = new AtomicBoolean();
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> load = CompletableFuture.runAsync(() -> publish(name, published, answered, over));
        await().atMost(60, SECONDS).until(() -> receiver.count() > 20);
        put(one, name, "b.*");
        LockSupport.parkNanos(MILLISECONDS.toNanos(millisBetween));
        put(one, name, "a.*");
        answered.set(true);
        await().atMost(60, SECONDS).until(() -> isActive(one, name) && lateOnes(published) > 100);
        over.set(true);
        load.join();
        boolean unchanged = stored(name).generation() == 1;
        List<String> expected = published.stream()
                .filter(each -> each.active() || (each.afterwards() && unchanged))
                .map(Published::id)
                .toList();
        requireArrived(expected);
        assertThat(receiver.repeated()).isEmpty();
    }

    private static long lateOnes(Queue<Published> published) {
        return published.stream()
                .filter(each -> each.active() && each.afterwards())
                .count();
    }

    /** A look at the state, then a few events, and again. Only the state after the last answer is a promise. */
    private static void publish(String name, Queue<Published> published, AtomicBoolean answered, AtomicBoolean over) {
        while (!over.get()) {
            boolean afterwards = answered.get();
            boolean active = afterwards && isActive(one, name);
            List<Event> events =
                    IntStream.range(0, 5).mapToObj(i -> event("a.x", "k" + i)).toList();
            Publishing.publish(one, events);
            events.forEach(each -> published.add(new Published(each.id().toString(), active, afterwards)));
        }
    }

    @Test
    void aSecondChangeAtAnotherHubReplacesTheFirst() {
        put(one, "twice", "first.*");
        await().atMost(60, SECONDS).until(() -> isActive(one, "twice"));
        put(one, "twice", "second.*");
        put(other, "twice", "third.*");
        Set<String> promised = new LinkedHashSet<>();
        await().pollInterval(5, MILLISECONDS).atMost(60, SECONDS).until(() -> {
            if (isActive(one, "twice") && isActive(other, "twice")) {
                Event event = event("third.x", "k");
                Publishing.publish(other, List.of(event));
                promised.add(event.id().toString());
            }
            return promised.size() == 50;
        });
        requireArrived(promised);
        assertThat(stored("twice").filter()).isEqualTo(Filter.types("third.*"));
        assertThat(stored("twice").wanted()).isNull();
    }

    @Test
    void lanesThatWereChangedBackHaveNotChanged() {
        put(one, "lanes", "lanes.*", 2);
        await().atMost(60, SECONDS).until(() -> isActive(one, "lanes"));
        pause("lanes", "pause");
        put(one, "lanes", "lanes.*", 5);
        assertThat(stored("lanes").wanted()).isEqualTo(new Subscriptions.Wanted(5, Filter.types("lanes.*")));
        put(other, "lanes", "lanes.*", 2);
        assertThat(stored("lanes").wanted()).isNull();
        pause("lanes", "resume");
        assertThat(isActive(one, "lanes")).isTrue();
        assertThat(stored("lanes").generation()).isOne();
    }

    /** It has read the revision before and comes to ask for it when the next one was asked for long ago. */
    @Test
    void aHubThatStalledAsksForWhatNobodyWantsAnyMore() {
        put(one, "stalled", "a.*");
        put(one, "stalled", "b.*");
        SubscriptionRow before =
                other.bean(SubscriptionStore.class).table().find("stalled").orElseThrow();
        put(one, "stalled", "a.*");
        await().atMost(60, SECONDS).until(() -> isActive(one, "stalled"));
        Subscription stale = other.bean(Blueprint.class).subscription(before);
        other.bean(RelayKeeper.class).serve(List.of(stale));
        await().atMost(60, SECONDS)
                .until(() -> !other.bean(RelayKeeper.class).relay().lanes().isEmpty());
        int generation = stored("stalled").generation();
        for (int i = 0; i < 20; i++) {
            assertThat(isActive(one, "stalled")).isTrue();
            Event event = event("a.x", "k" + i);
            Publishing.publish(one, List.of(event));
            requireArrived(List.of(event.id().toString()));
        }
        assertThat(stored("stalled").generation()).isEqualTo(generation);
        other.bean(SubscriptionKeeper.class).readAll();
    }

    /** And an instance that had not noticed asked for it again: that wish is all that is left of it. */
    @Test
    void aWishWhoseDocumentAFailoverHasLostIsOverruled() {
        put(one, "lost", "kept.*");
        SubscriptionRow kept = row("lost");
        put(one, "lost", "lost.*");
        await().atMost(60, SECONDS).until(() -> isActive(one, "lost"));
        write("UPDATE posthorn.hub_subscription SET revision = 1, document = :document WHERE name = 'lost'", kept);
        write("DELETE FROM posthorn.hub_subscription_revision WHERE name = 'lost' AND revision = 2", kept);
        write("UPDATE posthorn.hub_change SET number = number - 1 WHERE topic = 'subscriptions'", kept);
        assertThat(isActive(one, "lost") && isFilter("lost", "lost.*")).isFalse();
        await().atMost(60, SECONDS).until(() -> isActive(one, "lost") && isFilter("lost", "kept.*"));
    }

    /** It is given out again, to another document. */
    @Test
    void aRevisionThatAFailoverHasLostIsNotTakenForTheNextOneOfItsNumber() {
        put(one, "again", "first.*");
        put(one, "again", "lost.*");
        await().atMost(60, SECONDS).until(() -> isActive(one, "again"));
        String document = row("again").document().replace("lost.*", "other.*");
        one.bean(Database.class).queries().run("changing it as after a fail-over", t -> {
            Changes.countUp(t, Changes.Topic.SUBSCRIPTIONS);
            return t.update(
                    "UPDATE posthorn.hub_subscription SET document = :document, changed_at = clock_timestamp()"
                            + " WHERE name = 'again'",
                    Map.of("document", document));
        });
        await().atMost(60, SECONDS).until(() -> isActive(one, "again") && isFilter("again", "other.*"));
    }

    @Test
    void aChangeThatIsCountedAgainAfterAFailoverIsNoticed() {
        Changes changes = new Changes(one.bean(Database.class), one.bean(DatabaseKeeper.class));
        AtomicInteger read = new AtomicInteger();
        changes.read(Changes.Topic.GUARDS, read::incrementAndGet);
        Queries queries = one.bean(Database.class).queries();
        Map<String, Long> former = Map.of("number", queries.run("counting", t -> {
            long number = t.first(
                            "SELECT number FROM posthorn.hub_change WHERE topic = 'guards'",
                            Map.of(),
                            row -> row.getLong(1))
                    .orElseThrow();
            Changes.countUp(t, Changes.Topic.GUARDS);
            return number;
        }));
        changes.look();
        int before = read.get();
        queries.run("losing the count and counting again", t -> {
            t.update("UPDATE posthorn.hub_change SET number = :number WHERE topic = 'guards'", former);
            Changes.countUp(t, Changes.Topic.GUARDS);
            return true;
        });
        changes.look();
        assertThat(read.get()).isEqualTo(before + 1);
    }

    private static SubscriptionRow row(String name) {
        return one.bean(SubscriptionStore.class).table().find(name).orElseThrow();
    }

    private static void write(String sql, SubscriptionRow row) {
        one.bean(Database.class).queries().run("writing", t -> t.update(sql, Map.of("document", row.document())));
    }

    private static boolean isFilter(String name, String types) {
        return stored(name).filter().equals(Filter.types(types));
    }

    private void requireArrived(Collection<String> ids) {
        await().atMost(120, SECONDS).untilAsserted(() -> {
            Set<String> arrived = receiver.requests().stream().map(Request::id).collect(Collectors.toSet());
            List<String> missing =
                    ids.stream().filter(id -> !arrived.contains(id)).toList();
            assertThat(missing).as("of %d events", ids.size()).isEmpty();
        });
    }

    private static Subscriptions.Stored stored(String name) {
        return one.bean(Subscriptions.class).list().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static boolean isActive(TestHub hub, String name) {
        return "active"
                .equals(hub.rest()
                        .get("/v1/subscriptions/" + name)
                        .json()
                        .path("state")
                        .asString());
    }

    private static void pause(String name, String verb) {
        assertThat(one.rest().post("/v1/subscriptions/" + name + "/" + verb).status())
                .isEqualTo(200);
    }

    private void put(TestHub hub, String name, String filter) {
        put(hub, name, filter, 4);
    }

    private void put(TestHub hub, String name, String filter, int lanes) {
        made.add(name);
        assertThat(hub.rest()
                        .put("/v1/subscriptions/" + name, """
                                {"filter": {"types": ["%s"]}, "lanes": %d, "sink": {"kind": "http", "url": "%s"}}
                                """.formatted(filter, lanes, receiver.url("/" + name)))
                        .status())
                .isIn(200, 201);
    }
}
