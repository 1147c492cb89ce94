package dev.posthorn.server.grpc;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** How a call ended, with the details a client sees. */
record Statuses(Status.Code code, String message, List<Any> details) {

    static Statuses of(ThrowingCallable call) {
        return of(catchThrowableOfType(StatusRuntimeException.class, call));
    }

    static Statuses of(Throwable error) {
        com.google.rpc.Status status = StatusProto.fromThrowable(error);
        return new Statuses(
                Status.fromCodeValue(status.getCode()).getCode(), status.getMessage(), status.getDetailsList());
    }

    /** The fields that it names. */
    List<String> fields() {
        return detail(BadRequest.class).getFieldViolationsList().stream()
                .map(BadRequest.FieldViolation::getField)
                .toList();
    }

    String reason() {
        return detail(ErrorInfo.class).getReason();
    }

    long retrySeconds() {
        return detail(RetryInfo.class).getRetryDelay().getSeconds();
    }

    private <T extends Message> T detail(Class<T> type) {
        Any found = details.stream().filter(each -> each.is(type)).findFirst().orElseThrow();
        try {
            return found.unpack(type);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }
}
