package dev.posthorn.server.grpc;

import static dev.posthorn.server.grpc.SampleEvents.bad;
import static dev.posthorn.server.grpc.SampleEvents.event;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.server.ingest.Recorded;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.v1.PublishAck;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** PublishStream over a real connection, in front of a recorder that misbehaves as a test likes. */
class EventStreamTest {

    private final List<String> log = Collections.synchronizedList(new ArrayList<>());

    @Test
    void everyEventIsAcknowledgedInOrder() throws Exception {
        try (RecordingServer server = new RecordingServer(this::write)) {
            StreamClient client = StreamClient.open(server.channel()).read(Integer.MAX_VALUE);
            IntStream.range(0, 5_000).forEach(i -> client.send(event("e" + i)));
            List<PublishAck> acks = client.halfClose().awaitEnd();
            assertThat(client.error()).isNull();
            assertThat(positions(acks)).containsExactlyElementsOf(upTo(5_000));
            assertThat(acks.stream().map(PublishAck::getEventId)).containsExactlyElementsOf(log);
        }
    }

    @Test
    void anEmptyStreamIsCompleted() throws Exception {
        try (RecordingServer server = new RecordingServer(this::write)) {
            StreamClient client = StreamClient.open(server.channel()).read(1).halfClose();
            assertThat(client.awaitEnd()).isEmpty();
            assertThat(client.error()).isNull();
        }
    }

    @Test
    void noAcknowledgementComesBeforeTheCommit() {
        CountDownLatch commit = new CountDownLatch(1);
        EventRecorder slow = events -> {
            pass(commit);
            return write(events);
        };
        try (RecordingServer server = new RecordingServer(slow)) {
            StreamClient client = StreamClient.open(server.channel()).read(100);
            IntStream.range(0, 50).forEach(i -> client.send(event("e" + i)));
            // All are read while the first is being recorded.
            await().atMost(60, SECONDS).until(() -> server.taken() == 50);
            assertThat(client.acks()).isEmpty();
            commit.countDown();
            assertThat(client.awaitAcks(50)).hasSize(50);
            client.cancel();
        }
    }

    @Test
    void whatArrivesMeanwhileIsRecordedTogether() {
        CountDownLatch commit = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        EventRecorder slow = events -> {
            calls.incrementAndGet();
            pass(commit);
            return write(events);
        };
        try (RecordingServer server = new RecordingServer(slow)) {
            StreamClient client = StreamClient.open(server.channel()).read(1_000);
            IntStream.range(0, 900).forEach(i -> client.send(event("e" + i)));
            await().atMost(60, SECONDS).until(() -> server.taken() == 900);
            commit.countDown();
            client.awaitAcks(900);
            assertThat(calls).hasValueLessThanOrEqualTo(2);
            client.cancel();
        }
    }

    @Test
    void aClientThatReadsNoAcknowledgementsIsNotReadFrom() throws Exception {
        int all = 20_000;
        // What fits into the two ends of the connection besides what the stream has in hand.
        int underWay = 3_000;
        try (RecordingServer server = new RecordingServer(this::write)) {
            StreamClient client = StreamClient.open(server.channel());
            IntStream.range(0, all).forEach(i -> client.send(event(String.format("e%035d", i))));
            client.halfClose();
            awaitStandstill(server, EventStream.MOST_EVENTS);
            assertThat(server.taken()).isBetween(EventStream.MOST_EVENTS, EventStream.MOST_EVENTS + underWay);
            int before = server.taken();
            client.read(5_000).awaitAcks(5_000);
            awaitStandstill(server, before + 1_000);
            assertThat(server.taken()).isBetween(before + 1_000, before + 5_000 + underWay);
            assertThat(positions(client.read(all).awaitEnd())).containsExactlyElementsOf(upTo(all));
        }
    }

    @Test
    void whatIsEchoedIsCut() throws Exception {
        String large = "x".repeat(3 << 20);
        try (RecordingServer server = new RecordingServer(this::write)) {
            StreamClient client = StreamClient.open(server.channel());
            for (int i = 0; i < 20; i++) {
                client.send(event(i + large))
                        .send(event().putHeaders(i + large, "x").build())
                        .send(event().putHeaders(i + large, "\n").build())
                        .send(event().setEventType(i + " " + large).build())
                        .send(event().setContentType(i + " " + large).build());
            }
            client.halfClose();
            awaitStandstill(server, 1);
            List<PublishAck> acks = client.read(100).awaitEnd();
            assertThat(refused(acks)).containsExactlyElementsOf(upTo(100));
            assertThat(acks)
                    .allSatisfy(ack -> assertThat(ack.getSerializedSize()).isLessThan(2_000));
            assertThat(acks.get(0).getEventId()).startsWith("0xxx").hasSizeLessThanOrEqualTo(256);
        }
    }

    @Test
    void aStreamOfLargeEventsIsHeldToItsBytes() {
        CountDownLatch commit = new CountDownLatch(1);
        EventRecorder stuck = events -> {
            pass(commit);
            return write(events);
        };
        try (RecordingServer server = new RecordingServer(stuck)) {
            StreamClient client = StreamClient.open(server.channel()).read(1_000);
            byte[] large = new byte[500_000];
            dev.posthorn.v1.Event event = event().setPayload(com.google.protobuf.ByteString.copyFrom(large))
                    .build();
            IntStream.range(0, 200).forEach(i -> client.send(event));
            awaitStandstill(server, 1);
            // 8 MiB are 16 of these; the first handful was asked for before their size was known.
            assertThat(server.taken()).isLessThan(70);
            commit.countDown();
            assertThat(client.awaitAcks(200)).hasSize(200);
            client.cancel();
        }
    }

    @Test
    void oneInAHundredIsBadAndJustThoseAreRefused() throws Exception {
        try (RecordingServer server = new RecordingServer(this::write)) {
            StreamClient client = StreamClient.open(server.channel()).read(Integer.MAX_VALUE);
            IntStream.range(0, 5_000).forEach(i -> client.send(i % 100 == 7 ? bad("e" + i) : event("e" + i)));
            List<PublishAck> acks = client.halfClose().awaitEnd();
            assertThat(positions(acks)).containsExactlyElementsOf(upTo(5_000));
            assertThat(refused(acks))
                    .containsExactlyElementsOf(LongStream.range(0, 5_000)
                            .filter(i -> i % 100 == 7)
                            .boxed()
                            .toList());
            assertThat(log).hasSize(4_950);
            PublishAck first = acks.get(7);
            assertThat(first.getEventId()).isEqualTo("e7");
            assertThat(first.getRefusal().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT.value());
            assertThat(first.getRefusal().getField()).isEqualTo("event_type");
            assertThat(first.getRefusal().getMessage()).startsWith("event_type: is missing; ");
        }
    }

    @Test
    void aRefusalTellsEverythingThatIsWrongWithTheEvent() throws Exception {
        StreamRecorder recorder = new StreamRecorder(ignored -> {
            throw Problem.violated(
                            ProblemType.INVALID_EVENT,
                            List.of(
                                    Violation.of("aggregateType", "is 'a', but not here")
                                            .ofItem(0),
                                    Violation.of("data.name", "is missing").ofItem(0)))
                    .asException();
        });
        StreamItem item = StreamItem.toRecord(
                0,
                "e",
                1,
                dev.posthorn.event.Event.builder()
                        .source("s")
                        .type("t")
                        .json("{}")
                        .build());
        assertThat(recorder.record(List.of(item))).isNull();
        assertThat(item.ack().getRefusal().getField()).isEqualTo("aggregate_type");
        assertThat(item.ack().getRefusal().getMessage())
                .isEqualTo("aggregate_type: is 'a', but not here; also payload.name: is missing");
    }

    @Test
    void conflictsThatTheRecorderNamesAreRefusedAndTheRestRecorded() throws Exception {
        assertConflictsAreRefused(events -> {
            List<Violation> violations = IntStream.range(0, events.size())
                    .filter(i -> isConflict(events.get(i)))
                    .mapToObj(
                            i -> Violation.of("id", "is taken by another event").ofItem(i))
                    .limit(3)
                    .toList();
            if (!violations.isEmpty()) {
                throw new Problem(ProblemType.CONFLICT, "conflicts", violations, null).asException();
            }
            return write(events);
        });
    }

    @Test
    void conflictsThatNobodyNamesAreFoundOut() throws Exception {
        assertConflictsAreRefused(events -> {
            if (events.stream().anyMatch(EventStreamTest::isConflict)) {
                throw Problem.of(ProblemType.CONFLICT, "one of them is taken by another event")
                        .asException();
            }
            return write(events);
        });
    }

    private void assertConflictsAreRefused(EventRecorder recorder) throws Exception {
        try (RecordingServer server = new RecordingServer(recorder)) {
            StreamClient client = StreamClient.open(server.channel()).read(Integer.MAX_VALUE);
            IntStream.range(0, 2_000).forEach(i -> client.send(event((i % 100 == 3 ? "conflict" : "e") + i)));
            List<PublishAck> acks = client.halfClose().awaitEnd();
            assertThat(client.error()).isNull();
            assertThat(positions(acks)).containsExactlyElementsOf(upTo(2_000));
            assertThat(refused(acks))
                    .containsExactlyElementsOf(LongStream.range(0, 2_000)
                            .filter(i -> i % 100 == 3)
                            .boxed()
                            .toList());
            assertThat(acks.get(3).getRefusal().getCode()).isEqualTo(Status.Code.ALREADY_EXISTS.value());
            assertThat(acks.get(3).getRefusal().getMessage()).contains("is taken by another event");
            assertThat(log)
                    .containsExactlyElementsOf(IntStream.range(0, 2_000)
                            .filter(i -> i % 100 != 3)
                            .mapToObj(i -> "e" + i)
                            .toList());
        }
    }

    @Test
    void duplicatesAreAcknowledgedAsSuch() throws Exception {
        EventRecorder everyOther = events -> events.stream()
                .map(event -> new Recorded(event, Objects.equals(event.sourceId(), "again")))
                .toList();
        try (RecordingServer server = new RecordingServer(everyOther)) {
            StreamClient client = StreamClient.open(server.channel()).read(10);
            List<PublishAck> acks =
                    client.send(event("new")).send(event("again")).halfClose().awaitEnd();
            assertThat(acks.stream().map(PublishAck::getDuplicate)).containsExactly(false, true);
        }
    }

    @Test
    void aStreamEndsWithTheDatabaseAfterTheAcknowledgementsOfWhatIsRecorded() throws Exception {
        EventRecorder dying = events -> {
            if (events.stream().anyMatch(event -> Objects.equals(event.sourceId(), "e700"))) {
                throw Problem.unavailable("the database is away", Duration.ofSeconds(1))
                        .asException();
            }
            return write(events);
        };
        try (RecordingServer server = new RecordingServer(dying)) {
            StreamClient client = StreamClient.open(server.channel()).read(Integer.MAX_VALUE);
            IntStream.range(0, 500).forEach(i -> client.send(event("e" + i)));
            client.awaitAcks(500);
            IntStream.range(500, 1_000).forEach(i -> client.send(event("e" + i)));
            List<PublishAck> acks = client.awaitEnd();
            Statuses end = Statuses.of(client.error());
            assertThat(end.code()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(end.retrySeconds()).isEqualTo(1);
            assertThat(positions(acks)).containsExactlyElementsOf(upTo(log.size()));
            assertThat(log).hasSizeBetween(500, 700);
        }
    }

    @Test
    void aBugInTheRecorderEndsTheStreamAndTellsNothingOfItself() throws Exception {
        EventRecorder broken = events -> {
            throw new AssertionError("inner secret");
        };
        try (RecordingServer server = new RecordingServer(broken)) {
            StreamClient client = StreamClient.open(server.channel()).read(10).send(event("e"));
            assertThat(client.awaitEnd()).isEmpty();
            Statuses end = Statuses.of(client.error());
            assertThat(end.code()).isEqualTo(Status.Code.INTERNAL);
            assertThat(end.toString()).doesNotContain("secret");
        }
    }

    @Test
    void aHubThatStopsRecordsWhatItHasReadBeforeItEndsTheStream() throws Exception {
        CountDownLatch commit = new CountDownLatch(1);
        EventRecorder slow = events -> {
            pass(commit);
            return write(events);
        };
        try (RecordingServer server = new RecordingServer(slow)) {
            StreamClient client = StreamClient.open(server.channel()).read(1_000);
            IntStream.range(0, 300).forEach(i -> client.send(event("e" + i)));
            await().atMost(60, SECONDS).until(() -> server.taken() == 300);
            server.service().endStreams(Problem.unavailable("the hub stops", Duration.ofSeconds(1)));
            commit.countDown();
            assertThat(positions(client.awaitEnd())).containsExactlyElementsOf(upTo(300));
            assertThat(Statuses.of(client.error()).code()).isEqualTo(Status.Code.UNAVAILABLE);
        }
    }

    @Test
    void afterACancelNothingMoreIsRecorded() {
        CountDownLatch commit = new CountDownLatch(1);
        CountDownLatch recording = new CountDownLatch(1);
        EventRecorder slow = events -> {
            recording.countDown();
            pass(commit);
            return write(events);
        };
        try (RecordingServer server = new RecordingServer(slow)) {
            StreamClient client =
                    StreamClient.open(server.channel()).read(1_000).send(event("first"));
            pass(recording);
            IntStream.range(0, 300).forEach(i -> client.send(event("e" + i)));
            await().atMost(60, SECONDS).until(() -> server.taken() == 301);
            client.cancel();
            await().atMost(60, SECONDS).until(() -> server.service().openStreams() == 0);
            commit.countDown();
            await().atMost(60, SECONDS).until(() -> log.size() == 1);
            assertThat(log).containsExactly("first");
        }
    }

    private List<Recorded> write(List<Event> events) {
        events.forEach(event -> log.add(event.sourceId()));
        return events.stream().map(event -> new Recorded(event, false)).toList();
    }

    private static boolean isConflict(Event event) {
        return String.valueOf(event.sourceId()).startsWith("conflict");
    }

    private static List<Long> positions(List<PublishAck> acks) {
        return acks.stream().map(PublishAck::getPosition).toList();
    }

    private static List<Long> refused(List<PublishAck> acks) {
        Predicate<PublishAck> refused = PublishAck::hasRefusal;
        return positions(acks.stream().filter(refused).toList());
    }

    private static List<Long> upTo(int end) {
        return LongStream.range(0, end).boxed().toList();
    }

    /** Until it has read so many, and then nothing for a while: before that it may be the machine that stands still. */
    private static void awaitStandstill(RecordingServer server, int atLeast) {
        AtomicInteger last = new AtomicInteger(-1);
        await().pollInterval(Duration.ofMillis(400)).atMost(120, SECONDS).until(() -> {
            int now = server.taken();
            return now >= atLeast && last.getAndSet(now) == now;
        });
    }

    private static void pass(CountDownLatch latch) {
        try {
            if (!latch.await(300, SECONDS)) {
                throw new IllegalStateException("waited in vain");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
