package dev.posthorn.server.ingest;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;

/** Reads a request's body, whatever its content type. How long it may be is seen to before. */
final class WholeBody {

    private WholeBody() {}

    static byte[] read(HttpServletRequest request) {
        try {
            return request.getInputStream().readAllBytes();
        } catch (IOException e) {
            throw Problem.of(ProblemType.INVALID_REQUEST, "the body ended before all of it had come; send it again")
                    .asException();
        }
    }
}
