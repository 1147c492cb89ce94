package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import dev.posthorn.event.Event;
import dev.posthorn.http.receiver.Hostility;
import dev.posthorn.http.receiver.RawReceiver;
import dev.posthorn.http.receiver.Wire;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testkit.Receiver;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever a receiver does: each event has its outcome in time, once, and nothing is left behind. */
@Tag("slow")
class HostileReceiversTest {

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration AMPLE = Duration.ofSeconds(10);
    private static final Duration LATE = Duration.ofMillis(200);
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final int AT_ONCE = 3;
    private static final int ROUNDS = 2;

    /** What is timed may be tried so often: a receiver has its way every time, a busy machine does not. */
    private static final int TRIES = 10;

    private static final Event SMALL = Sends.event().build();

    /** More than the buffers between us hold, so that a receiver can answer before it has all. */
    private static final Event LARGE = Sends.event()
            .contentType("application/octet-stream")
            .payload(new byte[5 << 20])
            .build();

    /** Counts what it is told. */
    private static final class Told implements Answer {

        private final long begun = System.nanoTime();
        private final AtomicInteger times = new AtomicInteger();
        private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        private volatile long nanos;

        @Override
        public void with(Outcome told) {
            nanos = System.nanoTime() - begun;
            times.incrementAndGet();
            outcome.complete(told);
        }

        Outcome get() {
            return Sends.get(outcome);
        }

        String brief() {
            return Hostility.brief(get());
        }

        boolean tookLessThan(Duration limit) {
            return nanos < limit.toNanos();
        }

        @Override
        public String toString() {
            return brief() + " after " + Duration.ofNanos(nanos).toMillis() + " ms";
        }
    }

    @AfterEach
    void theSinksThreadsHaveEnded() {
        eventually(() -> threads().findAny().isEmpty());
    }

    private static void eventually(Callable<Boolean> holds) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(Duration.ofSeconds(60))
                .until(holds);
    }

    private static Stream<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().startsWith("posthorn-http-" + RawReceiver.HOST));
    }

    private static Told send(Channel channel, Event event) {
        Told told = new Told();
        channel.send(Sends.recorded(event), 1, told);
        return told;
    }

    private static Event eventFor(Hostility hostility) {
        return hostility.wantsALargeOne() ? LARGE : SMALL;
    }

    /** Two good rounds, as all connections of the first have to be free again for the second. */
    @ParameterizedTest
    @EnumSource
    void eachHostilityHasItsOutcomeInTimeAndHoldsNoConnection(Hostility hostility) {
        List<Told> all = new ArrayList<>();
        Duration timeout = hostility.lasts() ? SHORT : LONG;
        try (RawReceiver receiver = hostility.start()) {
            HttpSink sink = Sends.sink(receiver, hostility.scheme())
                    .concurrency(AT_ONCE)
                    .build();
            try (Channel channel = sink.open("test/0", timeout)) {
                int good = 0;
                for (int round = 0; round < TRIES && good < ROUNDS; round++) {
                    List<Told> sent = IntStream.range(0, AT_ONCE)
                            .mapToObj(i -> send(channel, eventFor(hostility)))
                            .toList();
                    assertPossible(hostility, sent);
                    all.addAll(sent);
                    good += hasItsOutcome(hostility, sent) && isInTime(hostility, sent) ? 1 : 0;
                }
                assertThat(good).as("good rounds of %s", all).isEqualTo(ROUNDS);
                eventually(() -> receiver.held() == 0 || hostility.mayBeKept());
                assertThat(receiver.requests()).isLessThanOrEqualTo(all.size());
            }
            eventually(() -> receiver.held() == 0);
        }
        assertThat(all).allSatisfy(told -> assertThat(told.times).hasValue(1));
    }

    /** On a machine that is busy with other tests a connection may not come about in a short time. */
    private static void assertPossible(Hostility hostility, List<Told> sent) {
        assertThat(sent)
                .extracting(Told::brief)
                .filteredOn(each -> !hostility.lasts() || !each.equals("Unavailable TIMEOUT"))
                .allSatisfy(each -> assertThat(each).isIn(hostility.outcomes()));
    }

    private static boolean hasItsOutcome(Hostility hostility, List<Told> sent) {
        return sent.stream().anyMatch(told -> hostility.outcomes().contains(told.brief()));
    }

    /** Some of them may be late there, but not all. */
    private static boolean isInTime(Hostility hostility, List<Told> sent) {
        Duration timeout = hostility.lasts() ? SHORT : AMPLE;
        return sent.stream().anyMatch(told -> told.tookLessThan(timeout.plus(LATE)))
                && sent.stream().allMatch(told -> told.tookLessThan(timeout.plusSeconds(2)));
    }

    /** @param before how often it was told before it was closed: a handshake is given up by itself */
    private record Closing(
            Hostility hostility, RawReceiver receiver, Channel channel, Told told, AtomicInteger before) {

        /** With more time than all of them need to begin, or one would be answered before it is closed. */
        static Closing begin(Hostility hostility) {
            RawReceiver receiver = hostility.start();
            Channel channel = Sends.sink(receiver, hostility.scheme()).build().open("test/0", Duration.ofMinutes(10));
            Told told = send(channel, eventFor(hostility));
            return new Closing(hostility, receiver, channel, told, new AtomicInteger());
        }

        void assertClosesAtOnce() {
            Duration time = timeOfClosing();
            for (int i = 1; i < TRIES && time.compareTo(SOON) >= 0; i++) {
                Closing another = begin(hostility);
                try (RawReceiver its = another.receiver) {
                    eventually(() -> its.accepted() > 0);
                    time = another.timeOfClosing();
                }
            }
            assertThat(time).as("%s", hostility).isLessThan(SOON);
        }

        private Duration timeOfClosing() {
            before.set(told.times.get());
            long begun = System.nanoTime();
            channel.close();
            return Duration.ofNanos(System.nanoTime() - begun);
        }

        void assertLeftNothing() {
            eventually(() -> receiver.held() == 0);
            assertThat(told.times).as("%s", hostility).hasValueLessThanOrEqualTo(hostility.lasts() ? before.get() : 1);
        }
    }

    @Test
    void aChannelThatIsClosedMeanwhileAnswersNothingMoreAndWaitsForNobody() {
        List<Closing> all = Stream.of(Hostility.values()).map(Closing::begin).toList();
        try {
            all.forEach(each -> eventually(() -> each.receiver.accepted() > 0));
            all.forEach(Closing::assertClosesAtOnce);
            // They are the only ones that could answer.
            theSinksThreadsHaveEnded();
            all.forEach(Closing::assertLeftNothing);
        } finally {
            all.forEach(each -> each.channel.close());
            all.forEach(each -> each.receiver.close());
        }
    }

    @Test
    void anAnswerOf1GbIsReadToItsEndAndNotKept() {
        byte[] piece = "x".repeat(1 << 20).getBytes(US_ASCII);
        RawReceiver.Behaviour huge =
                Hostility.after(Hostility.head(200, "Content-Length: " + (1L << 30)), wire -> wire.say(piece, 1 << 10));
        try (RawReceiver receiver = RawReceiver.start(huge);
                Channel channel = Sends.sink(receiver, "http").build().open("test/0", Duration.ofMinutes(4))) {
            Outcome outcome = send(channel, SMALL).get();
            assertThat(Hostility.brief(outcome)).isEqualTo("Delivered 200");
            assertThat(outcome.reply().text()).isEqualTo("x".repeat(4096));
            assertThat(allocated()).isPositive().isLessThan(100 << 20);
        }
    }

    @Test
    void aBombIsNotInflated() {
        try (RawReceiver receiver = Hostility.GZIP_BOMB.start();
                Channel channel = Sends.sink(receiver, "http").build().open("test/0", LONG)) {
            assertThat(send(channel, SMALL).get().reply().text()).hasSize(4096);
            assertThat(allocated()).isPositive().isLessThan(20 << 20);
        }
    }

    /** How many bytes the sink's thread has ever asked for: a bound for what it can have in use. */
    private static long allocated() {
        ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return threads()
                .mapToLong(each -> bean.getThreadAllocatedBytes(each.getId()))
                .sum();
    }

    @Test
    void nothingOfAThousandFailedRequestsIsHeld() throws InterruptedException {
        List<WeakReference<Answer>> answers = new ArrayList<>();
        Semaphore free = new Semaphore(10);
        try (RawReceiver receiver = Hostility.CLOSES_AFTER_THE_REQUEST.start();
                Channel channel =
                        Sends.sink(receiver, "http").concurrency(10).build().open("test/0", LONG)) {
            for (int i = 0; i < 1000; i++) {
                free.acquire();
                Answer answer = outcome -> free.release();
                Answer own = outcome -> answer.with(outcome);
                answers.add(new WeakReference<>(own));
                channel.send(Sends.recorded(SMALL), 1, own);
            }
            free.acquire(10);
            eventually(() -> receiver.held() == 0);
            await().pollInterval(Duration.ofMillis(200))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> {
                        System.gc();
                        return answers.stream()
                                        .filter(each -> each.get() != null)
                                        .count()
                                <= 1;
                    });
        }
    }

    @Test
    void aSinkThatHangsWithAllItHasDoesNotSlowAnother() throws InterruptedException {
        CountDownLatch delivered = new CountDownLatch(200);
        try (RawReceiver hanging = Hostility.HANGS_AFTER_THE_REQUEST.start();
                Receiver good = Receiver.start();
                Channel stuck =
                        Sends.sink(hanging, "http").concurrency(64).build().open("test/0", LONG.multipliedBy(5));
                Channel quick =
                        Sends.sink(good.url("/hook")).concurrency(64).build().open("test/0", LONG)) {
            List<Told> waiting =
                    IntStream.range(0, 64).mapToObj(i -> send(stuck, SMALL)).toList();
            for (int i = 0; i < 200; i++) {
                quick.send(Sends.recorded(SMALL), 1, outcome -> {
                    if (outcome instanceof Outcome.Delivered) {
                        delivered.countDown();
                    }
                });
            }
            assertThat(delivered.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(waiting).allSatisfy(told -> assertThat(told.times).hasValue(0));
        }
    }

    @Test
    void aSecondResponseIsNeverTheAnswerToTheNextRequest() {
        String two =
                Hostility.head(200, "Content-Length: 2") + "ok" + Hostility.head(500, "Content-Length: 4") + "evil";
        try (RawReceiver receiver = RawReceiver.start(Hostility.after(two, Wire::hang));
                Channel channel = Sends.sink(receiver, "http").build().open("test/0", LONG)) {
            for (int i = 0; i < 20; i++) {
                assertThat(send(channel, SMALL).get()).hasToString("Delivered[reply=Reply[code=200, text=ok]]");
            }
        }
    }

    /** One that arrives when the next request has left already is taken for its answer: HTTP/1.1 cannot tell them apart. */
    @Test
    void aSecondResponseEndsItsConnectionAndIsNotTheAnswerToTheNextRequest() throws InterruptedException {
        Semaphore answered = new Semaphore(0);
        Semaphore ended = new Semaphore(0);
        RawReceiver.Behaviour late = wire -> {
            wire.request();
            wire.say(Hostility.head(200, "Content-Length: 2") + "ok");
            answered.acquire();
            wire.say(Hostility.head(500, "Content-Length: 4") + "evil");
            try {
                wire.drain();
            } finally {
                ended.release();
            }
        };
        try (RawReceiver receiver = RawReceiver.start(late);
                Channel channel = Sends.sink(receiver, "http").build().open("test/0", LONG)) {
            for (int i = 0; i < 20; i++) {
                assertThat(send(channel, SMALL).get()).hasToString("Delivered[reply=Reply[code=200, text=ok]]");
                answered.release();
                assertThat(ended.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(receiver.accepted()).isEqualTo(20);
        }
    }

    @Test
    void aConnectionThatTheReceiverClosesAfterEachAnswerIsNoFailure() {
        RawReceiver.Behaviour closing = Hostility.after(Hostility.head(200, "Content-Length: 2") + "ok");
        try (RawReceiver receiver = RawReceiver.start(closing);
                Channel channel = Sends.sink(receiver, "http").build().open("test/0", LONG)) {
            for (int i = 0; i < 200; i++) {
                assertThat(send(channel, SMALL).get()).hasToString("Delivered[reply=Reply[code=200, text=ok]]");
            }
        }
    }

    /** The client is not yet active when it has just been started, and was once taken for one that had ended. */
    @Test
    void whatIsSentAtTheVeryBeginningIsNotLost() {
        try (RawReceiver receiver = RawReceiver.start(Hostility.after(Hostility.head(204)))) {
            HttpSink sink = Sends.sink(receiver, "http").build();
            for (int i = 0; i < 50; i++) {
                try (Channel channel = sink.open("test/0", LONG)) {
                    List<Told> all = IntStream.range(0, 4)
                            .mapToObj(n -> send(channel, SMALL))
                            .toList();
                    assertThat(all)
                            .allSatisfy(told ->
                                    assertThat(Hostility.brief(told.get())).isEqualTo("Delivered 204"));
                }
            }
        }
    }
}
