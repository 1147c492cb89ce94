package dev.posthorn.server.web;

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
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.util.unit.DataSize;
import org.springframework.web.filter.OncePerRequestFilter;

/** Refuses a body that is larger than {@code posthorn.limits.body}, whether its length is told or found out. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 20)
class BodyLimit extends OncePerRequestFilter {

    private final DataSize limit;
    private final ProblemWriter problems;

    BodyLimit(HubSettings settings, ProblemWriter problems) {
        this.limit = settings.limits().body();
        this.problems = problems;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (request.getContentLengthLong() > limit.toBytes()) {
            problems.write(request, response, tooLarge());
        } else {
            chain.doFilter(new Limited(request), response);
        }
    }

    private Problem tooLarge() {
        return Problem.of(
                ProblemType.TOO_LARGE,
                "the body is larger than " + limit.toBytes() + " bytes (posthorn.limits.body); send less at a time");
    }

    private final class Limited extends HttpServletRequestWrapper {

        private @Nullable ServletInputStream body;

        Limited(HttpServletRequest request) {
            super(request);
        }

        @Override
        public ServletInputStream getInputStream() throws IOException {
            if (body == null) {
                body = new Counted(super.getInputStream());
            }
            return body;
        }

        @Override
        public BufferedReader getReader() throws IOException {
            String named = getCharacterEncoding();
            Charset charset = named == null ? StandardCharsets.UTF_8 : Charset.forName(named);
            return new BufferedReader(new InputStreamReader(getInputStream(), charset));
        }
    }

    private final class Counted extends ServletInputStream {

        private final ServletInputStream body;
        private long count;

        Counted(ServletInputStream body) {
            this.body = body;
        }

        @Override
        public int read() throws IOException {
            int read = body.read();
            count(read < 0 ? 0 : 1);
            return read;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = body.read(bytes, offset, length);
            count(read);
            return read;
        }

        private void count(int read) {
            count += Math.max(0, read);
            if (count > limit.toBytes()) {
                throw tooLarge().asException();
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
