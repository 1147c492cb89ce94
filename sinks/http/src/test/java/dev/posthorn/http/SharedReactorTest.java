package dev.posthorn.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.http.client.Reactor;
import dev.posthorn.http.receiver.Hostility;
import dev.posthorn.http.receiver.RawReceiver;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What many sinks have together, and what none of them takes from another. */
@Tag("slow")
@Isolated("it counts the threads of all sinks")
class SharedReactorTest {

    private static final String NAME = "posthorn-http-many";
    private static final int CORES = Runtime.getRuntime().availableProcessors();
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Event SMALL = Sends.event().build();
    private static final Event LARGE = Sends.event()
            .contentType("application/octet-stream")
            .payload(new byte[5 << 20])
            .build();

    /** As different as can be: who hangs, drips, floods, resets, never reads and never shakes hands. */
    private static final List<Hostility> BAD = List.of(
            Hostility.HANGS_AFTER_THE_REQUEST,
            Hostility.DRIPS_HEADERS,
            Hostility.DRIPS_THE_BODY,
            Hostility.SENDS_A_BODY_FOR_EVER,
            Hostility.HEADERS_FOR_EVER,
            Hostility.SENDS_100_FOR_EVER,
            Hostility.RESETS_AFTER_THE_REQUEST,
            Hostility.NEVER_SHAKES_HANDS,
            Hostility.DRIPS_THE_HANDSHAKE,
            Hostility.ACCEPTS_AND_NEVER_READS);

    private final Reactor reactor = new Reactor(NAME);

    private static RawReceiver polite() {
        return RawReceiver.start(wire -> {
            while (true) {
                wire.request();
                wire.say(Hostility.head(204));
            }
        });
    }

    /** Each with a name of its own, so that each has to look it up. */
    private HttpSink.Builder sink(RawReceiver receiver, String scheme, int number) {
        return Sends.sink(scheme + "://h" + number + ".example:" + receiver.port() + "/hook")
                .lookup(host -> new InetAddress[] {receiver.address()})
                .reactor(reactor);
    }

    private static Set<Thread> threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .collect(Collectors.toSet());
    }

    private static Set<String> namesOf(Set<Thread> threads) {
        return threads.stream().map(Thread::getName).collect(Collectors.toSet());
    }

    @Test
    void aThousandSinksHaveTheThreadsOfOneAndAnIdleOneHasNoConnection() {
        List<Channel> channels = new ArrayList<>();
        try (RawReceiver receiver = polite()) {
            Set<String> before = namesOf(threads(""));
            for (int i = 0; i < 1000; i++) {
                channels.add(sink(receiver, "http", i)
                        .idle(Duration.ofSeconds(3))
                        .build()
                        .open("t/0", LONG));
            }
            assertThat(threads(NAME)).as("before the first event").isEmpty();
            assertThat(receiver.accepted()).as("before the first event").isZero();

            for (Channel channel : channels) {
                assertThat(Sends.through(channel, SMALL, 1)).isInstanceOf(Outcome.Delivered.class);
            }
            assertThat(receiver.accepted()).isEqualTo(1000);
            assertThat(threads(NAME)).hasSize(CORES);
            Set<String> others = namesOf(threads(""));
            others.removeAll(before);
            others.removeIf(
                    name -> name.equals("test-listener") || name.startsWith("ForkJoinPool") || name.startsWith(NAME));
            assertThat(others)
                    .as("one for times, and one for names, as each was looked up when the one before was found")
                    .hasSizeLessThanOrEqualTo(2)
                    .allMatch(name -> name.startsWith("posthorn-http-"));

            await().atMost(LONG).until(() -> receiver.held() == 0);
            assertThat(Sends.through(channels.get(0), SMALL, 1)).isInstanceOf(Outcome.Delivered.class);
            assertThat(receiver.accepted()).isEqualTo(1001);
        } finally {
            channels.forEach(Channel::close);
        }
        await().atMost(LONG).until(() -> threads(NAME).isEmpty());
    }

    /** Also what is just connecting or shaking hands, which no pool knows yet. */
    @Test
    void aSinkThatIsClosedClosesItsConnectionsAtOnceAndNoOthers() {
        try (RawReceiver good = polite();
                RawReceiver mute = Hostility.NEVER_SHAKES_HANDS.start();
                RawReceiver hanging = Hostility.HANGS_AFTER_THE_REQUEST.start();
                Channel stays = sink(good, "http", 0).build().open("t/0", LONG)) {
            assertThat(Sends.through(stays, SMALL, 1)).isInstanceOf(Outcome.Delivered.class);
            Channel shaking = sink(mute, "https", 1).build().open("t/0", LONG);
            Channel waiting = sink(hanging, "http", 2).build().open("t/0", LONG);
            Channel kept = sink(good, "http", 3).build().open("t/0", LONG);
            List<CompletableFuture<Outcome>> never =
                    List.of(Sends.begin(shaking, SMALL, 1), Sends.begin(waiting, SMALL, 1));
            assertThat(Sends.through(kept, SMALL, 1)).isInstanceOf(Outcome.Delivered.class);
            await().atMost(LONG).until(() -> mute.accepted() == 1 && hanging.requests() == 1);
            assertThat(good.held()).isEqualTo(2);

            List.of(shaking, waiting, kept).forEach(Channel::close);

            await().atMost(Duration.ofSeconds(5)).until(() -> mute.held() + hanging.held() == 0 && good.held() == 1);
            assertThat(never).noneMatch(CompletableFuture::isDone);
            assertThat(Sends.through(stays, SMALL, 1)).isInstanceOf(Outcome.Delivered.class);
            assertThat(good.accepted()).as("over the connection that it had").isEqualTo(2);
        }
    }

    @Test
    void ofTwoHundredSinksTheHealthyOnesDoNotWaitForThoseThatMisbehave() {
        List<Channel> bad = new ArrayList<>();
        List<Channel> healthy = new ArrayList<>();
        List<RawReceiver> receivers = new ArrayList<>();
        try (RawReceiver good = polite()) {
            for (Hostility each : BAD) {
                RawReceiver receiver = each.start();
                receivers.add(receiver);
                Channel channel =
                        sink(receiver, each.scheme(), bad.size()).build().open("t/0", LONG.multipliedBy(5));
                bad.add(channel);
                for (int i = 0; i < 2; i++) {
                    channel.send(Sends.recorded(each.wantsALargeOne() ? LARGE : SMALL), 1, outcome -> {});
                }
            }
            await().atMost(LONG).until(() -> receivers.stream().allMatch(each -> each.accepted() > 0));
            for (int i = bad.size(); i < 200; i++) {
                healthy.add(sink(good, "http", i).build().open("t/0", LONG));
            }
            for (int round = 0; round < 3; round++) {
                assertAllDeliveredSoon(healthy);
            }
            assertThat(threads(NAME)).hasSize(CORES);
        } finally {
            bad.forEach(Channel::close);
            healthy.forEach(Channel::close);
            receivers.forEach(RawReceiver::close);
        }
    }

    /** The bound is far above what a busy machine needs, and far below the time of those that misbehave. */
    private static void assertAllDeliveredSoon(List<Channel> channels) {
        long begun = System.nanoTime();
        List<CompletableFuture<Outcome>> outcomes =
                channels.stream().map(channel -> Sends.begin(channel, SMALL, 1)).toList();
        outcomes.forEach(each -> assertThat(Sends.get(each)).isInstanceOf(Outcome.Delivered.class));
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
    }

    /** What is read of answers that nobody keeps is bounded for all sinks together, and the senders are held back. */
    @Test
    void answersWithoutEndAreReadSlowly() throws InterruptedException {
        int floods = 8;
        byte[] piece = new byte[64 << 10];
        AtomicLong said = new AtomicLong();
        List<Channel> channels = new ArrayList<>();
        try (RawReceiver flooding = RawReceiver.start(Hostility.after(Hostility.head(200, "A: b"), wire -> {
            while (true) {
                wire.say(piece);
                said.addAndGet(piece.length);
            }
        }))) {
            for (int i = 0; i < floods; i++) {
                Channel channel = sink(flooding, "http", i).build().open("t/0", LONG);
                channels.add(channel);
                channel.send(Sends.recorded(SMALL), 1, outcome -> {});
            }
            await().atMost(LONG).until(() -> said.get() > floods * (4L << 20));
            long before = said.get();
            long begun = System.nanoTime();
            TimeUnit.SECONDS.sleep(3);
            double perSecond = (said.get() - before) * 1e9 / (System.nanoTime() - begun);
            assertThat(perSecond).isLessThan(110 << 20);
        } finally {
            channels.forEach(Channel::close);
        }
    }

    /** Whatever a lane's code throws at the thread that tells it an outcome, the thread goes on for the others. */
    @Test
    void anAnswerThatBreaksEndsNoThread() {
        try (RawReceiver receiver = polite();
                RawReceiver resetting = Hostility.RESETS_AFTER_THE_REQUEST.start();
                Channel one = sink(receiver, "http", 0).build().open("t/0", LONG);
                Channel other = sink(resetting, "http", 1).build().open("t/0", LONG)) {
            Sends.through(one, SMALL, 1);
            Set<Thread> before = threads(NAME);
            for (Channel each : List.of(one, other)) {
                CompletableFuture<Outcome> told = new CompletableFuture<>();
                each.send(Sends.recorded(SMALL), 1, outcome -> {
                    told.complete(outcome);
                    throw new IllegalStateException("planned by the test");
                });
                Sends.get(told);
            }
            IntStream.range(0, 2 * CORES)
                    .forEach(i -> assertThat(Sends.through(one, SMALL, 1)).isInstanceOf(Outcome.Delivered.class));
            assertThat(threads(NAME)).isEqualTo(before);
        }
    }
}
