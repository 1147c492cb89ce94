package dev.posthorn.server.grpc;

import dev.posthorn.event.Event;
import dev.posthorn.server.ingest.Recorded;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Records what a stream has gathered. Recording is all or nothing, a stream is not: events that are refused are taken
 * out and the others recorded.
 */
final class StreamRecorder {

    /** What can be wrong with a single event; anything else is wrong with the hub or the call. */
    private static final Set<ProblemType> OF_AN_EVENT = Set.of(
            ProblemType.INVALID_EVENT,
            ProblemType.INVALID_REQUEST,
            ProblemType.UNSUPPORTED_MEDIA_TYPE,
            ProblemType.CONFLICT,
            ProblemType.FORBIDDEN,
            ProblemType.TOO_MANY_REQUESTS,
            ProblemType.TOO_LARGE);

    private final EventRecorder recorder;

    StreamRecorder(EventRecorder recorder) {
        this.recorder = recorder;
    }

    /** One was refused as it arrived. */
    void refused(Problem problem) {
        recorder.refused(problem);
    }

    /**
     * Gives each its acknowledgement, in order. Returns what ended it before it was through, or null; those without an
     * acknowledgement were then not recorded, as far as is known.
     */
    @Nullable
    Problem record(List<StreamItem> items) {
        List<StreamItem> open = open(items);
        while (!open.isEmpty()) {
            Problem problem = attempt(open);
            if (problem == null || !OF_AN_EVENT.contains(problem.type())) {
                return problem;
            }
            if (!refuseNamed(open, problem)) {
                return search(open, problem);
            }
            open = open(open);
        }
        return null;
    }

    private static List<StreamItem> open(List<StreamItem> items) {
        return items.stream().filter(item -> item.ack() == null).toList();
    }

    private @Nullable Problem attempt(List<StreamItem> open) {
        try {
            List<Event> events = open.stream()
                    .map(item -> Objects.requireNonNull(item.event()))
                    .toList();
            List<Recorded> recorded = recorder.record(events);
            for (int i = 0; i < recorded.size(); i++) {
                open.get(i).recorded(recorded.get(i));
            }
            return null;
        } catch (RuntimeException | Error e) {
            return GrpcProblems.problem(e);
        }
    }

    /** Each with everything that is wrong with it. */
    private static boolean refuseNamed(List<StreamItem> open, Problem problem) {
        boolean found = false;
        for (int i = 0; i < open.size(); i++) {
            int number = i;
            List<Violation> violations = problem.violations().stream()
                    .filter(each -> Objects.equals(each.item(), number))
                    .toList();
            if (!violations.isEmpty()) {
                open.get(i).refuse(new Problem(problem.type(), violations.get(0).rule(), violations, null));
                found = true;
            }
        }
        return found;
    }

    /** Nobody says which it is: half by half, so that a few bad ones among many cost few attempts. */
    private @Nullable Problem search(List<StreamItem> open, Problem problem) {
        if (open.size() == 1) {
            open.get(0).refuse(problem);
            return null;
        }
        int half = open.size() / 2;
        Problem end = record(open.subList(0, half));
        return end != null ? end : record(open.subList(half, open.size()));
    }
}
