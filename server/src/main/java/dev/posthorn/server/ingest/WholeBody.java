package dev.posthorn.server.ingest;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;

/** Reads a request's body, whatever its content type. How long it may be is seen to before. */
final class WholeBody {

    /** What is no longer than this is read into an array of just its length. */
    private static final int SHORT = 8_192;

    private WholeBody() {}

    static byte[] read(HttpServletRequest request) {
        try {
            int length = request.getContentLength();
            InputStream body = request.getInputStream();
            return length >= 0 && length <= SHORT ? body.readNBytes(length) : body.readAllBytes();
        } catch (IOException e) {
            throw Problem.of(ProblemType.INVALID_REQUEST, "the body ended before all of it had come; send it again")
                    .asException();
        }
    }
}
