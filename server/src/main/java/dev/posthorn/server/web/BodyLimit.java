package dev.posthorn.server.web;

import dev.posthorn.server.memory.RequestMemory;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.settings.HubSettings;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.util.unit.DataSize;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses a body that is larger than {@code posthorn.limits.body}, whether its length is told or found out, and one that
 * takes longer than {@code posthorn.limits.request-time}: while it comes it has a thread.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 20)
class BodyLimit extends OncePerRequestFilter {

    /** They have no body to us. Spring's actuator would read one all the same, of anybody. */
    private static final Set<String> BODILESS = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    private final DataSize limit;
    private final Duration time;
    private final RequestMemory memory;
    private final ProblemWriter problems;

    BodyLimit(HubSettings settings, RequestMemory memory, ProblemWriter problems) {
        this.memory = memory;
        this.limit = settings.limits().body();
        this.time = settings.limits().requestTime();
        this.problems = problems;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (request.getContentLengthLong() > limit.toBytes()) {
            problems.write(request, response, tooLarge());
        } else {
            Limited limited = new Limited(request);
            try {
                chain.doFilter(limited, response);
            } finally {
                limited.giveBack();
            }
        }
    }

    private Problem tooLarge() {
        return Problem.of(
                ProblemType.TOO_LARGE,
                "the body is larger than " + limit.toBytes() + " bytes (posthorn.limits.body); send less at a time");
    }

    private Problem tooSlow() {
        return Problem.of(
                ProblemType.TOO_SLOW,
                "the body took longer than " + time.toMillis()
                        + " ms (posthorn.limits.request-time); send less at a time, or faster");
    }

    private final class Limited extends HttpServletRequestWrapper {

        private @Nullable Counted body;

        Limited(HttpServletRequest request) {
            super(request);
        }

        @Override
        public ServletInputStream getInputStream() throws IOException {
            if (body == null) {
                body = new Counted(this, super.getInputStream());
            }
            return body;
        }

        void giveBack() {
            if (body != null) {
                memory.giveBack(body.count);
            }
        }

        @Override
        public BufferedReader getReader() throws IOException {
            String named = getCharacterEncoding();
            Charset charset = named == null ? StandardCharsets.UTF_8 : Charset.forName(named);
            return new BufferedReader(new InputStreamReader(getInputStream(), charset));
        }
    }

    private final class Counted extends ServletInputStream {

        private final HttpServletRequest request;
        private final ServletInputStream body;
        private final long begun = System.nanoTime();
        private long count;

        Counted(HttpServletRequest request, ServletInputStream body) {
            this.request = request;
            this.body = body;
        }

        @Override
        public int read() throws IOException {
            int read = isWanted() ? body.read() : -1;
            count(read < 0 ? -1 : 1);
            return read;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = isWanted() ? body.read(bytes, offset, length) : -1;
            count(read);
            return read;
        }

        private boolean isWanted() {
            return !BODILESS.contains(request.getMethod());
        }

        private void count(int read) {
            if (read < 0) {
                BodyEnd.reached(request);
                return;
            }
            if (!memory.take(read, count)) {
                throw memory.noRoom().asException();
            }
            count += read;
            if (count > limit.toBytes()) {
                throw tooLarge().asException();
            }
            if (read > 0 && System.nanoTime() - begun > time.toNanos()) {
                throw tooSlow().asException();
            }
        }

        @Override
        public int available() throws IOException {
            return body.available();
        }

        @Override
        public void close() throws IOException {
            body.close();
        }

        @Override
        public boolean isFinished() {
            return body.isFinished();
        }

        @Override
        public boolean isReady() {
            return body.isReady();
        }

        @Override
        public void setReadListener(ReadListener listener) {
            body.setReadListener(listener);
        }
    }
}
