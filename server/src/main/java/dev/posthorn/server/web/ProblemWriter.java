package dev.posthorn.server.web;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Writes a problem as an answer, the same whoever found it: a controller, a filter, or Tomcat. */
@Component
public class ProblemWriter {

    private final JsonMapper json;

    ProblemWriter(JsonMapper json) {
        this.json = json;
    }

    /** Does nothing if an answer is already on its way. */
    public void write(HttpServletRequest request, HttpServletResponse response, Problem problem) throws IOException {
        if (response.isCommitted()) {
            return;
        }
        response.resetBuffer();
        byte[] body = json.writeValueAsBytes(ProblemDocument.of(problem, instance(request), RequestId.of(request)));
        response.setStatus(problem.type().status());
        setHeaders(response, problem);
        if (UnreadBody.isLeft(request)) {
            response.setHeader(HttpHeaders.CONNECTION, "close");
        }
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
        response.flushBuffer();
    }

    private static void setHeaders(HttpServletResponse response, Problem problem) {
        if (problem.retryAfter() != null) {
            response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds(problem.retryAfter())));
        }
        if (problem.type() == ProblemType.NO_KEY) {
            response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        }
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    }

    /** Rounded up: who comes back a moment too early is turned away again. */
    private static long seconds(Duration time) {
        return Math.max(1, time.plusMillis(999).toSeconds());
    }

    /** A request that Tomcat could not read may have no path, or one that is none. */
    private static @Nullable String instance(HttpServletRequest request) {
        try {
            String path = request.getRequestURI();
            return path == null ? null : new URI(path).getRawPath();
        } catch (URISyntaxException e) {
            return null;
        }
    }
}
