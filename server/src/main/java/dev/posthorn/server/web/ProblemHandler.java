package dev.posthorn.server.web;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.Problems;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Answers with RFC 9457's problem+json whatever a controller throws. */
@RestControllerAdvice
class ProblemHandler {

    @ExceptionHandler
    ResponseEntity<ProblemDocument> handle(Exception error) {
        Problem problem = Problems.of(error);
        ResponseEntity.BodyBuilder answer = ResponseEntity.status(problem.type().status());
        if (problem.retryAfter() != null) {
            answer.header(
                    HttpHeaders.RETRY_AFTER, Long.toString(problem.retryAfter().toSeconds()));
        }
        return answer.contentType(MediaType.APPLICATION_PROBLEM_JSON).body(ProblemDocument.of(problem));
    }
}
