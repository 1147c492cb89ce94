package dev.posthorn.server.grpc;

import dev.posthorn.event.Event;
import dev.posthorn.server.ingest.Recorded;
import dev.posthorn.server.ingest.TraceContext;
import dev.posthorn.server.memory.RequestMemory;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.v1.EventHubGrpc;
import dev.posthorn.v1.PublishAck;
import dev.posthorn.v1.PublishBatchRequest;
import dev.posthorn.v1.PublishBatchResponse;
import dev.posthorn.v1.PublishResponse;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The calls of {@code posthorn.v1.EventHub}. */
final class EventHubService extends EventHubGrpc.EventHubImplBase {

    private static final int MOST_VIOLATIONS = 20;

    private final EventRecorder recorder;
    private final EventMapping mapping;
    private final int mostInBatch;
    private final RequestMemory memory;
    private final ExecutorService executor;
    private final Set<EventStream> streams = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Problem ending;

    EventHubService(
            EventRecorder recorder,
            EventMapping mapping,
            int mostInBatch,
            RequestMemory memory,
            ExecutorService executor) {
        this.memory = memory;
        this.recorder = recorder;
        this.mapping = mapping;
        this.mostInBatch = mostInBatch;
        this.executor = executor;
    }

    /** On which its calls are served. */
    ExecutorService executor() {
        return executor;
    }

    @Override
    public void publish(dev.posthorn.v1.Event message, StreamObserver<PublishResponse> client) {
        answer(client, GrpcProblems::ofOne, () -> {
            Event event = read(() -> mapping.event(message, CallTrace.current()));
            return response(recorder().record(List.of(event)).get(0));
        });
    }

    @Override
    public void publishBatch(PublishBatchRequest request, StreamObserver<PublishBatchResponse> client) {
        answer(client, GrpcProblems::status, () -> {
            PublishBatchResponse.Builder response = PublishBatchResponse.newBuilder();
            recorder().record(read(() -> events(request))).forEach(each -> response.addEvents(response(each)));
            return response.build();
        });
    }

    @Override
    public StreamObserver<dev.posthorn.v1.Event> publishStream(StreamObserver<PublishAck> client) {
        EventStream stream = new EventStream(
                mapping, new StreamRecorder(recorder()), memory, executor, (ServerCallStreamObserver<PublishAck>)
                        client);
        streams.add(stream);
        stream.open(() -> streams.remove(stream));
        Problem reason = ending;
        if (reason != null) {
            stream.end(reason);
        }
        return stream;
    }

    /** On behalf of whoever makes the call that this thread serves. */
    private EventRecorder recorder() {
        return recorder.by(GrpcAccess.caller());
    }

    /** Ends the streams, each once what it has read is recorded and acknowledged. */
    void endStreams(Problem reason) {
        ending = reason;
        streams.forEach(stream -> stream.end(reason));
    }

    int openStreams() {
        return streams.size();
    }

    private interface Call<A> {
        A answer();
    }

    private static <A> void answer(
            StreamObserver<A> client, Function<Throwable, StatusRuntimeException> refusal, Call<A> call) {
        A answer;
        try {
            answer = call.answer();
        } catch (RuntimeException e) {
            client.onError(refusal.apply(e));
            return;
        }
        client.onNext(answer);
        client.onCompleted();
    }

    /** Tells of what is refused while it is read: the recorder never sees it. */
    private <T> T read(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (ProblemException e) {
            refused(e.problem());
            throw e;
        }
    }

    /** A message was refused. */
    void refused(Problem problem) {
        recorder.refused(problem);
    }

    private static PublishResponse response(Recorded recorded) {
        return PublishResponse.newBuilder()
                .setEventId(recorded.id())
                .setDuplicate(recorded.duplicate())
                .build();
    }

    private List<Event> events(PublishBatchRequest request) {
        checkNumber(request.getEventsCount());
        TraceContext trace = CallTrace.current();
        List<Event> events = new ArrayList<>(request.getEventsCount());
        List<Violation> violations = new ArrayList<>();
        for (int i = 0; i < request.getEventsCount() && violations.size() < MOST_VIOLATIONS; i++) {
            try {
                events.add(mapping.event(request.getEvents(i), trace));
            } catch (ProblemException e) {
                violations.addAll(ofItem(i, e.problem()));
            }
        }
        if (!violations.isEmpty()) {
            throw new Problem(ProblemType.INVALID_EVENT, "events break rules", violations, null).asException();
        }
        return events;
    }

    private static List<Violation> ofItem(int number, Problem problem) {
        if (problem.violations().isEmpty()) {
            return List.of(Violation.of("", problem.detail()).ofItem(number));
        }
        return problem.violations().stream().map(each -> each.ofItem(number)).toList();
    }

    private void checkNumber(int count) {
        if (count == 0) {
            throw refused("events", "is empty; send at least one");
        }
        if (count > mostInBatch) {
            throw refused(
                    "events[" + mostInBatch + "]",
                    "is one too many: there are " + count + " events and the limit is " + mostInBatch
                            + " (posthorn.limits.batch); send them in parts, or with PublishStream");
        }
    }

    private static ProblemException refused(String field, String rule) {
        return Problem.violated(ProblemType.INVALID_REQUEST, Violation.of(field, rule))
                .asException();
    }
}
