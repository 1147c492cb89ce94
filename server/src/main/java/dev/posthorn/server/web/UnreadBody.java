package dev.posthorn.server.web;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;

/**
 * Ends a connection whose request was answered before its body had come. Tomcat alone would read the rest first, however
 * slowly it comes, and so give a thread to everybody who is refused. A caller that sends all of its body before it reads
 * would miss its answer, so a few at a time are heard out, for a moment.
 */
final class UnreadBody extends ValveBase {

    private static final Logger log = LoggerFactory.getLogger(UnreadBody.class);

    private static final String ATTRIBUTE = UnreadBody.class.getName();
    private static final Duration LINGER = Duration.ofSeconds(2);
    private static final int CHUNK = 8_192;

    private final Semaphore lingering;

    /**
     * @param lingering how many are heard out at a time; each takes a thread
     */
    UnreadBody(int lingering) {
        super(true);
        this.lingering = new Semaphore(lingering);
    }

    /** Whether some of the body has yet to come, so that the connection is of no use after the answer. */
    static boolean isLeft(HttpServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof Request asked && isLeft(asked);
    }

    private static boolean isLeft(Request request) {
        if (!request.isFinished() && isSound(request)) {
            try {
                skipWhatIsHere(request.getStream());
            } catch (IOException e) {
                log.debug("A body that nobody reads cannot be read", e);
            }
        }
        return !request.isFinished();
    }

    /** Of one that is no body, such as of broken chunks, Tomcat would close before the answer is out. */
    private static boolean isSound(Request request) {
        return !request.getCoyoteRequest().isExceptionPresent()
                && request.getHeader(HttpHeaders.TRANSFER_ENCODING) == null;
    }

    /** Most bodies come together with their headers: then the connection can go on. */
    private static void skipWhatIsHere(InputStream body) throws IOException {
        byte[] skipped = new byte[CHUNK];
        for (int here = body.available(); here > 0; here = body.available()) {
            if (body.read(skipped, 0, Math.min(here, CHUNK)) < 0) {
                return;
            }
        }
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        request.setAttribute(ATTRIBUTE, request);
        getNext().invoke(request, response);
        if (isLeft(request)) {
            end(request, response);
        }
    }

    private void end(Request request, Response response) throws IOException {
        if (!response.isCommitted()) {
            response.setHeader(HttpHeaders.CONNECTION, "close");
        }
        response.finishResponse();
        // Whoever asks first whether to send it has been told not to.
        if (!request.getCoyoteRequest().hasExpectation() && lingering.tryAcquire()) {
            try {
                hearOut(request.getStream());
            } finally {
                lingering.release();
            }
        }
        if (!request.isFinished()) {
            request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
        }
    }

    private static void hearOut(InputStream body) {
        byte[] skipped = new byte[CHUNK];
        long giveUpAt = System.nanoTime() + LINGER.toNanos();
        try {
            while (System.nanoTime() < giveUpAt && body.read(skipped) >= 0) {
                // Until it ends, or its time is up.
            }
        } catch (IOException e) {
            log.debug("A body that nobody reads did not come", e);
        }
    }
}
