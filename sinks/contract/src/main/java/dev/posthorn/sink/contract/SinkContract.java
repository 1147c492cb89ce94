package dev.posthorn.sink.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every sink has to do. A sink's tests extend this and say by {@link #receiver()} what there is to deliver to; the
 * suite hands events over as a lane does, and looks at what is answered and what arrives.
 *
 * <p>A sink that keeps the order is handed everything at once. Any other is never handed more than its
 * {@link Sink#concurrency()}, nor two events of one key at a time.
 */
public abstract class SinkContract {

    /** Handing over takes microseconds; this allows for a machine that is busy with other things. */
    private static final Duration AT_ONCE = Duration.ofMillis(500);

    private static final Duration SOON = Duration.ofSeconds(1);

    /** How often something is timed that was not quick enough. */
    private static final int TRIES = 5;

    /** How long something that must not happen is waited for. */
    private static final Duration GRACE = Duration.ofMillis(700);

    private static final Instant RECORDED_AT = Instant.parse("2026-11-15T10:00:00.654321Z");
    private static final String SECRET = "open-sesame-4711";
    private static final int MANY = 100;

    private final Answers answers = new Answers();
    private final List<Channel> opened = new ArrayList<>();
    private int numbers;
    private Receiver receiver;
    private Sink sink;

    /** A receiver for one test, which closes it. What is expensive to start may be shared between tests behind it. */
    protected abstract Receiver receiver();

    /** How long an event may take when the receiver is away or silent: the suite waits for it several times. */
    protected Duration timeout() {
        return Duration.ofSeconds(2);
    }

    /** How long it may take where all is well, before it is taken to hang: a machine may stand still for a while. */
    protected Duration patience() {
        return Duration.ofMinutes(1);
    }

    /** Whether a thread lives on by design when all channels are closed, because the whole program shares it. */
    protected boolean mayOutliveChannels(Thread thread) {
        return false;
    }

    @BeforeEach
    void takeReceiver() {
        receiver = receiver();
        sink = receiver.sink();
    }

    @AfterEach
    void giveBackReceiver() {
        try {
            opened.forEach(Channel::close);
        } finally {
            receiver.close();
        }
    }

    // ---- what arrives

    @Test
    void anEventArrivesWithEverythingThatWasRecorded() {
        Event event = Event.builder()
                .id("no-7 ü")
                .source("/shop/berlin")
                .type("order.placed")
                .version(3)
                .aggregateType("order")
                .key("käse-北-🧀 1")
                .contentType("text/plain; charset=utf-8")
                .payload("Käse für 3 €".getBytes(UTF_8))
                .traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .header("tenant", "acme")
                .header("note", "„100 %“ \"Käse\", 北京 🧀")
                .occurredAt(Instant.parse("2026-11-14T23:59:59.123456Z"))
                .build();

        deliver(open(), List.of(event));

        assertArrived(event, Instant.parse("2026-11-14T23:59:59.123456Z"));
    }

    @Test
    void anEventArrivesWithoutWhatWasNotRecordedAndWithTheTimeOfRecording() {
        Event event =
                Event.builder().source("shop").type("order.placed").json("{}").build();

        deliver(open(), List.of(event));

        assertArrived(event, RECORDED_AT);
    }

    @Test
    void everyByteOfAPayloadArrivesAsItIs() {
        byte[] payload = new byte[256];
        IntStream.range(0, payload.length).forEach(i -> payload[i] = (byte) i);
        Event event = event("bytes").payload(payload).build();

        deliver(open(), List.of(event));

        assertArrived(event, RECORDED_AT);
    }

    @Test
    void anEmptyPayloadArrives() {
        Event event = event("empty").payload(new byte[0]).build();

        deliver(open(), List.of(event));

        assertArrived(event, RECORDED_AT);
    }

    private void assertArrived(Event event, Instant time) {
        assertThat(receiver.arrived()).singleElement().satisfies(arrived -> {
            assertThat(arrived.id()).as("id").isEqualTo(event.id());
            assertThat(arrived.sourceId()).as("source id").isEqualTo(event.sourceId());
            assertThat(arrived.source()).as("source").isEqualTo(event.source());
            assertThat(arrived.type()).as("type").isEqualTo(event.type());
            assertThat(arrived.version()).as("version").isEqualTo(event.version());
            assertThat(arrived.aggregateType()).as("aggregate type").isEqualTo(event.aggregateType());
            assertThat(arrived.key()).as("key").isEqualTo(event.key());
            assertThat(arrived.contentType()).as("content type").isEqualTo(event.contentType());
            assertThat(arrived.payload()).as("payload").isEqualTo(event.payload());
            assertThat(arrived.occurredAt()).as("time").isEqualTo(time);
            assertThat(inLowerCase(arrived.headers())).as("headers").containsAllEntriesOf(event.headers());
        });
    }

    private static Map<String, String> inLowerCase(Map<String, String> headers) {
        return headers.entrySet().stream()
                .collect(Collectors.toMap(header -> header.getKey().toLowerCase(Locale.ROOT), Map.Entry::getValue));
    }

    // ---- answers and order

    @Test
    void everyEventIsDeliveredAndAnsweredOnceOverSeveralChannels() {
        List<Channel> channels = List.of(open(), open(), open());
        assertThat(sink.concurrency()).as("concurrency").isPositive();

        for (int round = 0; round < 5; round++) {
            List<Event> events = events(room(MANY));
            for (int i = 0; i < events.size(); i++) {
                send(channels.get(i % channels.size()), events.get(i));
            }
            channels.forEach(Channel::flush);
            assertDelivered(events);
        }

        pause();
        assertThat(answers.repeated()).as("answered more than once").isEmpty();
        assertThat(arrivedIds()).as("arrived").doesNotHaveDuplicates();
    }

    @Test
    void eventsOfAKeyArriveInTheOrderInWhichTheyWereHandedOver() {
        assumeTrue(sink.keepsOrder(), "the sink keeps no order");
        List<Event> events = IntStream.range(0, 1000)
                .mapToObj(i -> event("key-" + i % 7).build())
                .toList();

        hand(open(), events);

        assertDelivered(events);
        assertThat(idsByKey(receiver.arrived())).isEqualTo(idsByKey(events));
    }

    private static Map<String, List<UUID>> idsByKey(List<Event> events) {
        return events.stream().collect(groupingBy(event -> String.valueOf(event.key()), mapping(Event::id, toList())));
    }

    // ---- a receiver that refuses

    @Test
    void aRefusedEventIsRejectedForAReasonAndOthersAreDelivered() {
        Event refused = assumePresent(receiver.refusedEvent("stuck"), "nothing is ever refused");
        Channel channel = open();
        Channel other = open();

        hand(channel, List.of(refused));

        assertFailed(Outcome.Reject.class, answers.awaitAll(List.of(refused), patience()));
        if (!sink.keepsOrder()) {
            deliver(channel, events(1));
        }
        deliver(other, events(1));
        assertThat(arrivedIds()).doesNotContain(refused.id());
    }

    @Test
    void nothingThatWasHandedOverAfterAFailedEventIsDelivered() {
        assumeTrue(sink.keepsOrder(), "the sink keeps no order");
        Event refused = assumePresent(receiver.refusedEvent("stuck"), "nothing is ever refused");
        List<Event> before = ofOneKey("stuck", 20);
        List<Event> after = ofOneKey("stuck", 200);

        hand(
                open(),
                Stream.of(before, List.of(refused), after).flatMap(List::stream).toList());

        assertDelivered(before);
        assertFailed(Outcome.Reject.class, answers.awaitAll(List.of(refused), patience()));
        assertFailed(Outcome.Unavailable.class, answers.awaitAll(after, patience()));
        pause();
        assertThat(arrivedIds()).isEqualTo(ids(before));
        deliver(open(), after);
    }

    // ---- a receiver that is away

    @Test
    void aReceiverThatIsAwayIsUnavailableForAReason() {
        receiver.leave();

        assertFailed(Outcome.Unavailable.class, answersInTime(room(5)));
    }

    @Test
    void aReceiverThatIsBackGetsItsEvents() {
        receiver.leave();
        Channel channel = open(timeout());
        List<Event> missed = events(1);
        hand(channel, missed);
        answers.awaitAll(missed, patience());

        receiver.comeBack();

        if (sink.keepsOrder()) {
            channel.close();
        } else {
            deliver(channel, events(1));
        }
        deliver(open(), missed);
    }

    @Test
    void nobodyWaitsForAReceiverThatIsAway() {
        // What a JVM loads with its first event takes longer than the limit on a busy machine.
        deliver(open(), events(1));
        receiver.leave();

        assertThat(quickest(AT_ONCE, this::timeOfHandingOver)).isLessThan(AT_ONCE);
    }

    /** Over a channel of its own: the sink is not to have more at a time than it takes. */
    private Duration timeOfHandingOver() {
        Duration time = timeOf(() -> hand(open(), events(room(MANY))));
        lastOpened().close();
        return time;
    }

    // ---- a receiver that is silent

    @Test
    void nobodyWaitsForASilentReceiver() {
        assertThat(quickest(AT_ONCE, this::timeOfHandingOverInSilence)).isLessThan(AT_ONCE);
        assertThat(quickest(AT_ONCE, this::timeOfHandingOver)).isLessThan(AT_ONCE);
    }

    private Duration timeOfHandingOverInSilence() {
        receiver.comeBack();
        Channel channel = open();
        deliver(channel, events(1));
        receiver.fallSilent();
        Duration time = timeOf(() -> hand(channel, events(room(MANY))));
        channel.close();
        return time;
    }

    @Test
    void whatASilentReceiverDoesNotAnswerInTimeIsGivenUp() {
        assumeFalse(sink.keepsOrder(), "silence in a sink that keeps the order is the lane's affair");
        receiver.fallSilent();

        List<Outcome> outcomes = answersInTime(room(MANY));

        assertFailed(Outcome.Retry.class, outcomes);
        assertThat(outcomes).map(SinkContract::errorClass).containsOnly(ErrorClass.TIMEOUT);
        receiver.comeBack();
        pause();
        List<Event> next = events(1);
        deliver(lastOpened(), next);
        assertThat(arrivedIds()).as("nothing arrived that was given up").isEqualTo(ids(next));
    }

    // ---- the end of a channel

    @Test
    void aChannelClosesSoonWhateverTheReceiverDoes() {
        assertClosesSoon("while the receiver answers");
        receiver.fallSilent();
        assertClosesSoon("while the receiver is silent");
        receiver.comeBack();
        receiver.leave();
        assertClosesSoon("while the receiver is away");
    }

    private void assertClosesSoon(String when) {
        assertThat(quickest(SOON, this::timeOfClosing)).as(when).isLessThan(SOON);
        assertThat(quickest(SOON, () -> timeOf(lastOpened()::close)))
                .as("the second time, " + when)
                .isLessThan(SOON);
    }

    private Duration timeOfClosing() {
        Channel channel = open();
        hand(channel, events(room(MANY)));
        // Whatever it does with them, it is to be in the middle of it.
        pause(Duration.ofMillis(100));
        return timeOf(channel::close);
    }

    @Test
    void aClosedChannelDeliversNothingToAReceiverThatWasAway() {
        receiver.leave();
        handAndClose();
        receiver.comeBack();

        pause();
        assertThat(arrivedIds()).isEmpty();
    }

    @Test
    void aClosedChannelDeliversNothingToAReceiverThatWasSilent() {
        receiver.fallSilent();
        handAndClose();
        receiver.comeBack();

        pause();
        assertThat(arrivedIds()).isEmpty();
    }

    private void handAndClose() {
        Channel channel = open();
        hand(channel, events(room(20)));
        channel.close();
    }

    @Test
    void theEndOfAChannelDoesNotDisturbAnother() {
        Channel ended = open();
        Channel other = open();
        List<Event> events = events(room(MANY));
        int half = (events.size() + 1) / 2;
        List<Event> kept = events.subList(0, half);

        hand(ended, events.subList(half, events.size()));
        hand(other, kept);
        ended.close();

        assertDelivered(kept);
        deliver(other, events(1));
    }

    /** Threads belong to the group of the thread that made them, so that those of other tests are not seen here. */
    @Test
    void noThreadIsLeftWhenAllChannelsAreClosed() throws InterruptedException {
        ThreadGroup group = new ThreadGroup("sink under test");
        List<Throwable> failures = new ArrayList<>();
        Thread user = new Thread(group, this::useEveryKindOfChannel);
        user.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
        user.start();
        user.join();

        assertThat(failures).isEmpty();
        await().atMost(patience())
                .untilAsserted(() -> assertThat(threadsOf(group)).as("threads").isEmpty());
    }

    private void useEveryKindOfChannel() {
        sink = receiver.sink();
        List<Channel> channels = new ArrayList<>(List.of(open(), open()));
        deliver(channels.get(0), events(1));
        receiver.leave();
        channels.add(open());
        channels.subList(0, 2).forEach(Channel::close);
        hand(channels.get(2), events(1));
        pause(Duration.ofMillis(100));
        channels.get(2).close();
    }

    private List<String> threadsOf(ThreadGroup group) {
        Thread[] threads = new Thread[1000];
        int count = group.enumerate(threads);
        return Stream.of(threads)
                .limit(count)
                .filter(thread -> !mayOutliveChannels(thread))
                .map(Thread::getName)
                .toList();
    }

    // ---- secrets

    @Test
    void noSecretIsTold() {
        sink = assumePresent(receiver.sinkToNowhere(SECRET), "the sink knows no secrets");
        Channel channel = open(timeout());
        List<Event> events = events(1);
        hand(channel, events);

        List<Outcome> outcomes = answers.awaitAll(events, patience());

        assertThat(outcomes).asString().doesNotContain(SECRET);
        assertThat(sink).asString().doesNotContain(SECRET);
        assertThat(channel).asString().doesNotContain(SECRET);
    }

    // ---- handing over as a lane does

    private Channel open() {
        return open(patience());
    }

    private Channel open(Duration timeout) {
        Channel channel = sink.open("contract/" + opened.size(), timeout);
        opened.add(channel);
        return channel;
    }

    private Channel lastOpened() {
        return opened.get(opened.size() - 1);
    }

    private void send(Channel channel, Event event) {
        channel.send(new RecordedEvent(++numbers, event, RECORDED_AT), 1, answers.to(event));
    }

    private void hand(Channel channel, List<Event> events) {
        events.forEach(event -> send(channel, event));
        channel.flush();
    }

    /** Hands over no more than the sink takes, and has each delivered. */
    private void deliver(Channel channel, List<Event> events) {
        hand(channel, events);
        assertDelivered(events);
    }

    private int room(int wanted) {
        return Math.min(wanted, sink.concurrency());
    }

    /** Each of its own key. */
    private List<Event> events(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> event("key-" + i).build())
                .toList();
    }

    private static List<Event> ofOneKey(String key, int count) {
        return IntStream.range(0, count).mapToObj(i -> event(key).build()).toList();
    }

    private static Event.Builder event(String key) {
        return Event.builder().source("shop").type("order.placed").key(key).payload("17".getBytes(UTF_8));
    }

    // ---- looking at what became of them

    /** Delivered means that the receiver has it, so what arrived is not waited for. */
    private void assertDelivered(List<Event> events) {
        assertThat(answers.awaitAll(events, patience())).hasOnlyElementsOfType(Outcome.Delivered.class);
        assertThat(arrivedIds()).as("arrived").containsAll(ids(events));
    }

    /** Of so many, again if they were not answered in time. Over another channel then: a failure may end one. */
    private List<Outcome> answersInTime(int count) {
        List<Outcome> outcomes = new ArrayList<>();
        Duration limit = timeout().plus(SOON);
        Duration time = quickest(limit, () -> {
            List<Event> events = events(count);
            return timeOf(() -> {
                hand(open(timeout()), events);
                outcomes.addAll(answers.awaitAll(events, patience()));
            });
        });
        assertThat(time).as("until all were answered").isLessThan(limit);
        return outcomes;
    }

    private static void assertFailed(Class<? extends Outcome.Failure> how, List<Outcome> outcomes) {
        assertThat(outcomes)
                .allSatisfy(outcome -> assertThat(outcome)
                        .isInstanceOf(how)
                        .asInstanceOf(type(Outcome.Failure.class))
                        .satisfies(failure -> {
                            assertThat(failure.errorClass()).as("error class").isNotEqualTo(ErrorClass.UNKNOWN);
                            assertThat(failure.reason()).as("reason").isNotBlank();
                        }));
    }

    private static ErrorClass errorClass(Outcome outcome) {
        return ((Outcome.Failure) outcome).errorClass();
    }

    private List<UUID> arrivedIds() {
        return ids(receiver.arrived());
    }

    private static List<UUID> ids(List<Event> events) {
        return events.stream().map(Event::id).toList();
    }

    private static <T> T assumePresent(Optional<T> optional, String otherwise) {
        assumeTrue(optional.isPresent(), otherwise);
        return Objects.requireNonNull(optional.orElse(null));
    }

    /** The first that is short enough, or else the last: who waits does so every time, a busy machine does not. */
    private static Duration quickest(Duration enough, Supplier<Duration> timed) {
        Duration time = timed.get();
        for (int i = 1; i < TRIES && time.compareTo(enough) >= 0; i++) {
            time = timed.get();
        }
        return time;
    }

    private static Duration timeOf(Runnable work) {
        long before = System.nanoTime();
        work.run();
        return Duration.ofNanos(System.nanoTime() - before);
    }

    private static void pause() {
        pause(GRACE);
    }

    private static void pause(Duration duration) {
        try {
            Thread.sleep(duration.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for what must not happen", e);
        }
    }
}
