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
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Turns requests away at once when {@code posthorn.limits.concurrent-requests} are being worked on: a queue would only
 * make all of them late. Whoever asks for the hub's health is answered all the same. Those who look get half of the places,
 * and so do those who call a guard, so that who publishes finds one however many search, or come again and again for a
 * system that hangs. The description of the API is long and for everybody, so those who ask for it and do not read get few
 * of the places.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
class LoadShedding extends OncePerRequestFilter {

    private static final String DESCRIPTION = "/v1/openapi.yaml";
    private static final String GUARD = "/v1/guard/";

    private final int limit;
    private final Semaphore places;
    private final Semaphore placesOfLooks;
    private final Semaphore placesOfGuards;
    private final Semaphore placesOfAnybody;
    private final ProblemWriter problems;

    LoadShedding(HubSettings settings, ProblemWriter problems) {
        this.limit = settings.limits().concurrentRequests();
        this.places = new Semaphore(limit);
        this.placesOfLooks = new Semaphore(Math.max(1, limit / 2));
        this.placesOfGuards = new Semaphore(Math.max(1, limit / 2));
        this.placesOfAnybody = new Semaphore(Math.max(1, limit / 8));
        this.problems = problems;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return request.getRequestURI().startsWith("/actuator/health");
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (request.getServletPath().equals(DESCRIPTION)) {
            within(placesOfAnybody, request, response, chain);
        } else if (HttpMethod.GET.matches(request.getMethod()) || HttpMethod.HEAD.matches(request.getMethod())) {
            within(placesOfLooks, request, response, (same, answer) -> within(places, request, response, chain));
        } else if (request.getServletPath().startsWith(GUARD)) {
            within(placesOfGuards, request, response, (same, answer) -> within(places, request, response, chain));
        } else {
            within(places, request, response, chain);
        }
    }

    private void within(Semaphore free, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (!free.tryAcquire()) {
            problems.write(request, response, busy());
            return;
        }
        try {
            chain.doFilter(request, response);
        } finally {
            free.release();
        }
    }

    private Problem busy() {
        return Problem.unavailable(
                "the hub is working on " + limit
                        + " requests (posthorn.limits.concurrent-requests), or half of them look for something or call"
                        + " guards; it has not acted on this one: try again",
                Retry.SOON);
    }
}
