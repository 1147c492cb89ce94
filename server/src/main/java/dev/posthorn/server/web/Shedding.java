package dev.posthorn.server.web;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.settings.HubSettings;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Turns requests away at once when {@code posthorn.limits.concurrent-requests} are being worked on: a queue would only
 * make all of them late. Whoever asks for the hub's health is answered all the same.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
class Shedding extends OncePerRequestFilter {

    private final int limit;
    private final Semaphore places;
    private final ProblemWriter problems;

    Shedding(HubSettings settings, ProblemWriter problems) {
        this.limit = settings.limits().concurrentRequests();
        this.places = new Semaphore(limit);
        this.problems = problems;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return request.getRequestURI().startsWith("/actuator/health");
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (!places.tryAcquire()) {
            problems.write(request, response, busy());
            return;
        }
        try {
            chain.doFilter(request, response);
        } finally {
            places.release();
        }
    }

    private Problem busy() {
        return Problem.unavailable(
                "the hub is working on " + limit + " requests (posthorn.limits.concurrent-requests); try again",
                Retry.SOON);
    }
}
