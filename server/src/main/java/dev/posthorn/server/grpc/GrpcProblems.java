package dev.posthorn.server.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.posthorn.server.problem.Excerpt;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Problems;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.v1.Refusal;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.List;
import java.util.stream.Collectors;

/** Tells problems the way gRPC does: a status with details, or the refusal of one event of a stream. */
final class GrpcProblems {

    /** Kept until the client reads it. */
    private static final int LONGEST_MESSAGE = 1_200;

    private static final String DOMAIN = "posthorn";

    private GrpcProblems() {}

    /** What an exception is to the caller, with the protocol's names of fields. */
    static Problem problem(Throwable error) {
        Problem problem = Problems.of(error);
        List<Violation> violations = violations(problem).stream()
                .map(each -> new Violation(each.item(), ProtocolFieldNames.inProtocol(each.field()), each.rule()))
                .toList();
        return new Problem(problem.type(), problem.detail(), violations, problem.retryAfter());
    }

    private static List<Violation> violations(Problem problem) {
        if (problem.violations().isEmpty() && problem.type() == ProblemType.INVALID_EVENT) {
            return List.of(ProtocolFieldNames.violation(problem.detail()));
        }
        return problem.violations();
    }

    /** The end of a call that has one event only, so that it needs no number. */
    static StatusRuntimeException ofOne(Throwable error) {
        Problem problem = problem(error);
        List<Violation> violations = problem.violations().stream()
                .map(each -> Violation.of(each.field(), each.rule()))
                .toList();
        return status(new Problem(problem.type(), problem.detail(), violations, problem.retryAfter()));
    }

    static StatusRuntimeException status(Throwable error) {
        return status(problem(error));
    }

    static StatusRuntimeException status(Problem problem) {
        com.google.rpc.Status.Builder status = com.google.rpc.Status.newBuilder()
                .setCode(code(problem.type()).value())
                .setMessage(message(problem))
                .addDetails(Any.pack(reason(problem)));
        if (!problem.violations().isEmpty()) {
            status.addDetails(Any.pack(badRequest(problem.violations())));
        }
        if (problem.retryAfter() != null) {
            status.addDetails(Any.pack(retry(problem.retryAfter())));
        }
        return StatusProto.toStatusRuntimeException(status.build());
    }

    /** Why one event of a stream was not recorded. */
    static Refusal refusal(Problem problem) {
        Refusal.Builder refusal =
                Refusal.newBuilder().setCode(code(problem.type()).value());
        if (problem.violations().isEmpty()) {
            return refusal.setMessage(problem.detail()).build();
        }
        String all = problem.violations().stream()
                .map(each -> text(each.field(), each.rule()))
                .collect(Collectors.joining("; also "));
        return refusal.setField(problem.violations().get(0).field())
                .setMessage(Excerpt.of(all, LONGEST_MESSAGE))
                .build();
    }

    static Status.Code code(ProblemType type) {
        return switch (type) {
            case INVALID_REQUEST, INVALID_EVENT, UNSUPPORTED_MEDIA_TYPE -> Status.Code.INVALID_ARGUMENT;
            case CONFLICT -> Status.Code.ALREADY_EXISTS;
            case NOT_FOUND -> Status.Code.NOT_FOUND;
            case NO_KEY -> Status.Code.UNAUTHENTICATED;
            case FORBIDDEN -> Status.Code.PERMISSION_DENIED;
            case TOO_LARGE, TOO_SLOW, HEADERS_TOO_LARGE, TOO_MANY_REQUESTS -> Status.Code.RESOURCE_EXHAUSTED;
            case UNAVAILABLE -> Status.Code.UNAVAILABLE;
            case STALE, IN_DOUBT, REFUSED, METHOD_NOT_ALLOWED, NOT_ACCEPTABLE, INTERNAL -> Status.Code.INTERNAL;
        };
    }

    private static String message(Problem problem) {
        if (problem.violations().isEmpty()) {
            return problem.detail();
        }
        Violation first = problem.violations().get(0);
        int more = problem.violations().size() - 1;
        return text(path(first), first.rule()) + (more == 0 ? "" : " (and " + more + " more, see the details)");
    }

    private static String text(String field, String rule) {
        return field.isEmpty() ? rule : field + ": " + rule;
    }

    private static String path(Violation violation) {
        if (violation.item() == null) {
            return violation.field();
        }
        String event = "events[" + violation.item() + "]";
        return violation.field().isEmpty() ? event : event + "." + violation.field();
    }

    private static ErrorInfo reason(Problem problem) {
        return ErrorInfo.newBuilder()
                .setReason(problem.type().urn())
                .setDomain(DOMAIN)
                .build();
    }

    private static BadRequest badRequest(List<Violation> violations) {
        BadRequest.Builder request = BadRequest.newBuilder();
        for (Violation each : violations) {
            request.addFieldViolationsBuilder().setField(path(each)).setDescription(each.rule());
        }
        return request.build();
    }

    private static RetryInfo retry(java.time.Duration after) {
        Duration delay = Duration.newBuilder()
                .setSeconds(after.getSeconds())
                .setNanos(after.getNano())
                .build();
        return RetryInfo.newBuilder().setRetryDelay(delay).build();
    }
}
