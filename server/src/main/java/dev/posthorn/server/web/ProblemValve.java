package dev.posthorn.server.web;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Problems;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.coyote.ActionCode;
import org.apache.coyote.http11.Http11Processor;
import org.apache.tomcat.util.res.StringManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers with a problem what Tomcat refuses by itself, and whatever no one else has answered. */
final class ProblemValve extends ErrorReportValve {

    private static final Logger log = LoggerFactory.getLogger(ProblemValve.class);

    /** Tomcat tells headers that are too large from other bad requests by its message alone. */
    private static final String HEADERS_TOO_LARGE =
            StringManager.getManager(Http11Processor.class).getString("iib.requestheadertoolarge.error");

    private final ProblemWriter writer;

    ProblemValve(ProblemWriter writer) {
        this.writer = writer;
    }

    @Override
    protected void report(Request request, Response response, @Nullable Throwable error) {
        if (response.getStatus() < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        AtomicBoolean canWrite = new AtomicBoolean();
        response.getCoyoteResponse().action(ActionCode.IS_IO_ALLOWED, canWrite);
        if (canWrite.get()) {
            write(request, response, problem(request, response, error));
        }
    }

    private void write(Request request, Response response, Problem problem) {
        try {
            writer.write(request, response, problem);
        } catch (IOException e) {
            log.debug("The caller went away before it was told of a problem", e);
        }
    }

    private static Problem problem(Request request, Response response, @Nullable Throwable error) {
        if (response.getStatus() >= 500 && error != null) {
            return Problems.of(error);
        }
        Object cause = request.getCoyoteRequest().getAttribute("jakarta.servlet.error.exception");
        if (cause instanceof Exception known && Objects.equals(known.getMessage(), HEADERS_TOO_LARGE)) {
            return Problem.of(
                    ProblemType.HEADERS_TOO_LARGE,
                    "the request line and headers are larger than posthorn.limits.headers; send fewer or shorter ones");
        }
        return ofStatus(response.getStatus());
    }

    private static Problem ofStatus(int status) {
        return switch (status) {
            case 404 -> Problem.of(ProblemType.NOT_FOUND, "there is nothing at this path");
            case 405 ->
                Problem.of(
                        ProblemType.METHOD_NOT_ALLOWED,
                        "this method is not known here; the header Allow tells which are");
            case 413 -> Problem.of(ProblemType.TOO_LARGE, "the request is too large");
            case 500, 502, 504 -> Problem.of(ProblemType.INTERNAL, "the hub failed; its log tells why");
            case 503 -> Problem.unavailable("the hub cannot answer at the moment; try again", Retry.SOON);
            default ->
                Problem.of(
                        ProblemType.INVALID_REQUEST,
                        "this is not a well-formed HTTP/1.1 request; look at its request line, target, headers and chunks");
        };
    }
}
