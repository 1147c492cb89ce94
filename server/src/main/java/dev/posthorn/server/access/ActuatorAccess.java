package dev.posthorn.server.access;

import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.web.ProblemWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Lets viewers see the metrics, and everybody whether the hub is well. Interceptors do not see the actuator's calls. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 30)
class ActuatorAccess extends OncePerRequestFilter {

    private final Gate gate;
    private final HttpCalls calls;
    private final ProblemWriter problems;

    ActuatorAccess(Gate gate, HttpCalls calls, ProblemWriter problems) {
        this.gate = gate;
        this.calls = calls;
        this.problems = problems;
    }

    /** By the path as Spring will read it: decoded, and without path parameters. */
    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        String path = request.getServletPath();
        return !path.startsWith("/actuator") || path.equals("/actuator/health") || path.startsWith("/actuator/health/");
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        response.setHeader(HttpHeaders.CACHE_CONTROL, AccessCheck.NO_STORE);
        try {
            gate.admit(calls.of(request), Role.VIEWER, Role.OPERATOR);
        } catch (ProblemException refused) {
            problems.write(request, response, refused.problem());
            return;
        }
        chain.doFilter(request, response);
    }
}
