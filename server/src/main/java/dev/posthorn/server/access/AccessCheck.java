package dev.posthorn.server.access;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.web.BodyEnd;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Holds every call of the API against its {@link Allowed}. */
@Component
class AccessCheck implements HandlerInterceptor, WebMvcConfigurer {

    /** What one caller sees another may not, and a cache on the way does not know callers by {@code X-API-Key}. */
    static final String NO_STORE = "no-store";

    private final Gate gate;
    private final HttpCalls calls;

    AccessCheck(Gate gate, HttpCalls calls) {
        this.gate = gate;
        this.calls = calls;
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this).order(0);
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (handler instanceof HandlerMethod call && isOurs(call) && !call.hasMethodAnnotation(Open.class)) {
            response.setHeader(HttpHeaders.CACHE_CONTROL, NO_STORE);
            Call made = calls.of(request);
            Caller caller = gate.admit(made, roles(call));
            request.setAttribute(CallerResolver.ATTRIBUTE, caller);
            Runnable again = () -> gate.checkAgain(made, caller);
            BodyEnd.check(request, again);
            Recheck.put(request, again);
        }
        return true;
    }

    /** Spring's own, such as the one that answers OPTIONS, tell nothing that is not in the documentation. */
    private static boolean isOurs(HandlerMethod call) {
        return call.getBeanType().getName().startsWith("dev.posthorn.");
    }

    /** A call that nobody thought of is closed, not open. */
    private static Role[] roles(HandlerMethod call) {
        Allowed allowed = call.getMethodAnnotation(Allowed.class);
        if (allowed == null) {
            throw Problem.of(ProblemType.INTERNAL, "nothing tells which roles may make this call, so nobody may")
                    .asException();
        }
        return allowed.value();
    }
}
