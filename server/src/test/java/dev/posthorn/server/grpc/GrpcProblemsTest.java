package dev.posthorn.server.grpc;

import static dev.posthorn.server.grpc.SampleEvents.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.ingest.Recorded;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.v1.EventHubGrpc;
import dev.posthorn.v1.EventHubGrpc.EventHubBlockingStub;
import dev.posthorn.v1.PublishBatchRequest;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How problems of recording look to those who publish. */
class GrpcProblemsTest {

    @ParameterizedTest
    @CsvSource({
        "INVALID_REQUEST, INVALID_ARGUMENT",
        "INVALID_EVENT, INVALID_ARGUMENT",
        "NO_KEY, UNAUTHENTICATED",
        "FORBIDDEN, PERMISSION_DENIED",
        "NOT_FOUND, NOT_FOUND",
        "CONFLICT, ALREADY_EXISTS",
        "TOO_LARGE, RESOURCE_EXHAUSTED",
        "TOO_MANY_REQUESTS, RESOURCE_EXHAUSTED",
        "UNAVAILABLE, UNAVAILABLE",
        "INTERNAL, INTERNAL"
    })
    void everyProblemHasItsStatus(ProblemType type, Status.Code code) {
        Statuses end = refusedWith(Problem.of(type, "what happened").asException());
        assertThat(end.code()).isEqualTo(code);
        assertThat(end.message()).isEqualTo("what happened");
        assertThat(end.reason()).isEqualTo(type.urn());
    }

    @Test
    void whenToTryAgainIsADetail() {
        Statuses end =
                refusedWith(Problem.unavailable("away", Duration.ofSeconds(7)).asException());
        assertThat(end.retrySeconds()).isEqualTo(7);
    }

    @Test
    void anAccidentTellsNothingOfTheInside() {
        Statuses end = refusedWith(new IllegalStateException("inner secret"));
        assertThat(end.code()).isEqualTo(Status.Code.INTERNAL);
        assertThat(end.toString()).doesNotContain("secret");
    }

    @Test
    void fieldsHaveTheProtocolsNames() {
        Problem problem = new Problem(
                ProblemType.INVALID_EVENT,
                "item 0: data.user.email: is no address",
                List.of(
                        Violation.of("data.user.email", "is no address").ofItem(0),
                        Violation.of("type", "is unknown").ofItem(0)),
                null);
        assertThat(refusedWith(problem.asException()).fields()).containsExactly("payload.user.email", "event_type");
        assertThat(batchRefusedWith(problem.asException()).fields())
                .containsExactly("events[0].payload.user.email", "events[0].event_type");
    }

    @Test
    void aDuplicateIsToldAsSuch() {
        EventRecorder again =
                events -> events.stream().map(each -> new Recorded(each, true)).toList();
        try (RecordingServer server = new RecordingServer(again)) {
            EventHubBlockingStub stub = EventHubGrpc.newBlockingStub(server.channel());
            assertThat(stub.publish(event("e")).getDuplicate()).isTrue();
            assertThat(stub.publishBatch(batch()).getEvents(0).getDuplicate()).isTrue();
        }
    }

    private static Statuses refusedWith(RuntimeException error) {
        try (RecordingServer server = new RecordingServer(throwing(error))) {
            return Statuses.of(
                    () -> EventHubGrpc.newBlockingStub(server.channel()).publish(event("e")));
        }
    }

    private static Statuses batchRefusedWith(RuntimeException error) {
        try (RecordingServer server = new RecordingServer(throwing(error))) {
            return Statuses.of(
                    () -> EventHubGrpc.newBlockingStub(server.channel()).publishBatch(batch()));
        }
    }

    private static PublishBatchRequest batch() {
        return PublishBatchRequest.newBuilder().addEvents(event("e")).build();
    }

    private static EventRecorder throwing(RuntimeException error) {
        return events -> {
            throw error;
        };
    }
}
