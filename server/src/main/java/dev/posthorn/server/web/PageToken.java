package dev.posthorn.server.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import java.util.List;

/** Where a list goes on: the key of its last item, in a form that nobody is tempted to build by hand. */
public final class PageToken {

    private static final String SEPARATOR = "\u0000";

    private PageToken() {}

    public static String of(String... parts) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(String.join(SEPARATOR, parts).getBytes(UTF_8));
    }

    /** The parts, of which there must be so many; anything else is refused. */
    public static List<String> parts(String token, int count) {
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(token);
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            List<String> read = List.of(text.split(SEPARATOR, -1));
            if (read.size() == count && of(read.toArray(String[]::new)).equals(token)) {
                return read;
            }
        } catch (IllegalArgumentException | CharacterCodingException malformed) {
            throw refused();
        }
        throw refused();
    }

    private static ProblemException refused() {
        return Problem.violated(
                        ProblemType.INVALID_REQUEST,
                        Violation.of("after", "is not a token that this list gave; take 'next' of the page before"))
                .asException();
    }
}
