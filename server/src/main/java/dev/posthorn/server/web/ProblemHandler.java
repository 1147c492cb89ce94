package dev.posthorn.server.web;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.Problems;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.catalina.connector.ClientAbortException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Answers with RFC 9457's problem+json whatever a controller throws, or Spring on the way to it. */
@RestControllerAdvice
class ProblemHandler {

    private static final Logger log = LoggerFactory.getLogger(ProblemHandler.class);

    private final ProblemWriter writer;

    ProblemHandler(ProblemWriter writer) {
        this.writer = writer;
    }

    /** Written by hand: a problem is told as JSON even to a caller that accepts none. */
    @ExceptionHandler
    void handle(Exception error, HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (isGone(error)) {
            log.debug("The caller went away, or did not read, before it had its answer", error);
            return;
        }
        SpringProblems.headers(error, request).forEach(response::setHeader);
        Problem known = SpringProblems.of(error);
        writer.write(request, response, known == null ? Problems.of(error) : known);
    }

    /** Nobody's mistake, and nobody is left to be told. */
    private static boolean isGone(Exception error) {
        Throwable cause = error;
        while (cause != null && !(cause instanceof ClientAbortException)) {
            cause = cause.getCause();
        }
        return cause != null;
    }
}
