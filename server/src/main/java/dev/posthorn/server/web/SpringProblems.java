package dev.posthorn.server.web;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.validation.BindException;
import org.springframework.validation.BindingResult;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.MissingPathVariableException;
import org.springframework.web.bind.MissingRequestHeaderException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.bind.ServletRequestBindingException;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.NoHandlerFoundException;
import org.springframework.web.servlet.resource.NoResourceFoundException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.JacksonIOException;

/** What Spring, or Tomcat on its behalf, finds wrong with a request, as a problem that names the parameter or field. */
final class SpringProblems {

    private SpringProblems() {}

    /** Null if it is not Spring's. */
    static @Nullable Problem of(Exception error) {
        if (error instanceof HttpMessageNotReadableException unreadable) {
            return unreadable(unreadable);
        }
        if (error instanceof MethodArgumentTypeMismatchException mismatch) {
            return mismatch(mismatch);
        }
        if (error instanceof ServletRequestBindingException binding) {
            return missing(binding);
        }
        if (error instanceof MethodArgumentNotValidException invalid) {
            return violations(invalid.getBindingResult());
        }
        if (error instanceof BindException invalid) {
            return violations(invalid.getBindingResult());
        }
        if (error instanceof InvalidParameterException) {
            return Problem.of(
                    ProblemType.INVALID_REQUEST,
                    "the query holds what is no text; write its parameters in UTF-8, and escape that with %");
        }
        return error instanceof ErrorResponse answered ? ofStatus(answered, error) : null;
    }

    /** What the answer's headers have to say besides. */
    static Map<String, String> headers(Exception error, HttpServletRequest request) {
        if (error instanceof HttpRequestMethodNotSupportedException method && method.getSupportedMethods() != null) {
            return Map.of(HttpHeaders.ALLOW, String.join(", ", method.getSupportedMethods()));
        }
        if (error instanceof HttpMediaTypeNotSupportedException type
                && !type.getSupportedMediaTypes().isEmpty()) {
            String header = request.getMethod().equals("POST") ? "Accept-Post" : HttpHeaders.ACCEPT;
            return Map.of(header, MediaType.toString(type.getSupportedMediaTypes()));
        }
        return Map.of();
    }

    private static @Nullable Problem unreadable(HttpMessageNotReadableException error) {
        Throwable cause = error.getCause();
        if (cause instanceof ProblemException || (cause != null && cause.getCause() instanceof ProblemException)) {
            return null;
        }
        if (cause instanceof JacksonException json && !(cause instanceof JacksonIOException)) {
            return Problem.violated(ProblemType.INVALID_REQUEST, UnreadableJson.violation(json));
        }
        return Problem.of(
                ProblemType.INVALID_REQUEST,
                cause instanceof IOException
                        ? "the body ended early or its chunks are malformed; send it whole"
                        : "the body is missing or cannot be read; send a JSON document");
    }

    private static Problem mismatch(MethodArgumentTypeMismatchException error) {
        Class<?> type = error.getRequiredType();
        return refused(error.getName(), "'" + shortened(error.getValue()) + "' is not " + expected(type));
    }

    private static String expected(@Nullable Class<?> type) {
        if (type == null) {
            return "what is expected here";
        }
        if (type.isEnum()) {
            return "one of "
                    + Arrays.stream(type.getEnumConstants())
                            .map(each -> each.toString().toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(", "));
        }
        return switch (type.getSimpleName()) {
            case "int", "Integer", "long", "Long" -> "a whole number";
            case "double", "Double", "float", "Float", "BigDecimal" -> "a number";
            case "boolean", "Boolean" -> "true or false";
            case "UUID" -> "a UUID";
            case "Instant", "OffsetDateTime" -> "a time such as 2026-11-15T12:00:00Z";
            case "Duration" -> "a duration such as 500ms, 30s, 5m, 2h or 7d";
            default -> "of the form that is expected here";
        };
    }

    private static Problem missing(ServletRequestBindingException error) {
        if (error instanceof MissingServletRequestParameterException parameter) {
            return refused(parameter.getParameterName(), "this query parameter is missing");
        }
        if (error instanceof MissingRequestHeaderException header) {
            return refused(header.getHeaderName(), "this header is missing");
        }
        if (error instanceof MissingPathVariableException variable) {
            return refused(variable.getVariableName(), "this part of the path is missing");
        }
        return Problem.of(
                ProblemType.INVALID_REQUEST, "the request's parameters or headers are not those of this call");
    }

    private static Problem violations(BindingResult result) {
        List<Violation> violations = result.getFieldErrors().stream()
                .map(each -> Violation.of(
                        each.getField(), "'" + shortened(each.getRejectedValue()) + "' is not what is expected here"))
                .toList();
        return violations.isEmpty()
                ? Problem.of(ProblemType.INVALID_REQUEST, "the request breaks a rule")
                : new Problem(
                        ProblemType.INVALID_REQUEST,
                        violations.get(0).field() + ": " + violations.get(0).rule(),
                        violations,
                        null);
    }

    private static @Nullable Problem ofStatus(ErrorResponse answered, Exception error) {
        return switch (answered.getStatusCode().value()) {
            case 404 -> notFound(error);
            case 405 ->
                Problem.of(
                        ProblemType.METHOD_NOT_ALLOWED,
                        "this path does not know that method; the header Allow tells which");
            case 406 -> notAcceptable(error);
            case 413 -> Problem.of(ProblemType.TOO_LARGE, "the body is too large; send less at a time");
            case 415 -> unsupported(error);
            case 503 -> Problem.unavailable("the hub was too slow to answer; try again", Retry.SOON);
            default -> answered.getStatusCode().is4xxClientError() ? invalid(error) : null;
        };
    }

    private static Problem notFound(Exception error) {
        String where = error instanceof NoHandlerFoundException none
                ? none.getRequestURL()
                : error instanceof NoResourceFoundException none ? none.getResourcePath() : "this path";
        return Problem.of(
                ProblemType.NOT_FOUND,
                "there is nothing at " + shortened(where) + "; /v1/openapi.yaml tells what there is");
    }

    private static Problem notAcceptable(Exception error) {
        String offered = error instanceof HttpMediaTypeNotAcceptableException type
                ? MediaType.toString(type.getSupportedMediaTypes())
                : "";
        return Problem.of(
                ProblemType.NOT_ACCEPTABLE,
                "the header Accept leaves out what there is here: "
                        + (offered.isEmpty() ? "application/json" : offered));
    }

    private static Problem unsupported(Exception error) {
        if (!(error instanceof HttpMediaTypeNotSupportedException type)) {
            return Problem.of(ProblemType.UNSUPPORTED_MEDIA_TYPE, "send the body as application/json");
        }
        String offered = MediaType.toString(type.getSupportedMediaTypes());
        return Problem.of(
                ProblemType.UNSUPPORTED_MEDIA_TYPE,
                "the body's Content-Type is " + (type.getContentType() == null ? "missing" : type.getContentType())
                        + "; send " + (offered.isEmpty() ? "application/json" : "one of " + offered));
    }

    private static Problem invalid(Exception error) {
        if (error instanceof HandlerMethodValidationException invalid
                && !invalid.getParameterValidationResults().isEmpty()) {
            String name = String.valueOf(invalid.getParameterValidationResults()
                    .get(0)
                    .getMethodParameter()
                    .getParameterName());
            return refused(name, "this is not what is expected here");
        }
        return Problem.of(ProblemType.INVALID_REQUEST, "the request is not one that this path understands");
    }

    private static Problem refused(String field, String rule) {
        return Problem.violated(ProblemType.INVALID_REQUEST, Violation.of(field, rule));
    }

    /** What a caller sent is told back so far that it knows it again. */
    private static String shortened(@Nullable Object value) {
        String text = String.valueOf(value);
        return text.length() <= 100 ? text : text.substring(0, 100) + "…";
    }
}
