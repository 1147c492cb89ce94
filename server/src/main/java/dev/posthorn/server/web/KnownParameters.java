package dev.posthorn.server.web;

import dev.posthorn.error.Nearest;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.RecordComponent;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Refuses a query parameter that the call does not know: {@code ?limt=10} would otherwise quietly do something else than
 * was asked for. What a call knows are its {@code @RequestParam}s and the components of records that it takes.
 */
@Component
class KnownParameters implements HandlerInterceptor, WebMvcConfigurer {

    /** After access was checked: who may not call need not learn how. */
    private static final int ORDER = 100;

    private final Map<HandlerMethod, Optional<Set<String>>> known = new ConcurrentHashMap<>();
    private final List<HandlerMethodArgumentResolver> resolvers;

    /** What our own resolvers give a call, such as its caller, is not from the query. */
    KnownParameters(List<HandlerMethodArgumentResolver> resolvers) {
        this.resolvers = resolvers;
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this).addPathPatterns("/v1/**", "/dlt-messages").order(ORDER);
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        String query = request.getQueryString();
        if (query != null && !query.isEmpty() && handler instanceof HandlerMethod call) {
            known.computeIfAbsent(call, this::of).ifPresent(names -> check(query, names));
        }
        return true;
    }

    private static void check(String query, Set<String> known) {
        for (String each : query.split("&", -1)) {
            String name = decoded(each.split("=", 2)[0]);
            if (!name.isEmpty() && !known.contains(name)) {
                throw unknown(name, known);
            }
            decoded(each);
        }
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw Problem.of(
                            ProblemType.INVALID_REQUEST,
                            "the query has a % that is not followed by two hexadecimal digits; write %25 for the sign")
                    .asException();
        }
    }

    private static RuntimeException unknown(String name, Set<String> known) {
        String remedy = Nearest.to(name, known)
                .map(found -> "did you mean " + found + "?")
                .orElse(known.isEmpty() ? "this call takes none" : "this call knows " + String.join(", ", known));
        return Problem.violated(
                        ProblemType.INVALID_REQUEST, Violation.of(name, "there is no such query parameter; " + remedy))
                .asException();
    }

    /** Empty if the call takes whatever comes. */
    private Optional<Set<String>> of(HandlerMethod call) {
        Set<String> names = new TreeSet<>();
        for (MethodParameter each : call.getMethodParameters()) {
            RequestParam named = each.getParameterAnnotation(RequestParam.class);
            if (named != null && Map.class.isAssignableFrom(each.getParameterType())) {
                return Optional.empty();
            }
            names.addAll(named != null ? List.of(name(named, each)) : components(each));
        }
        return Optional.of(names);
    }

    private static String name(RequestParam named, MethodParameter parameter) {
        return named.name().isEmpty() ? String.valueOf(nameOf(parameter)) : named.name();
    }

    private static @Nullable String nameOf(MethodParameter parameter) {
        return parameter.getParameter().getName();
    }

    /** A record without an annotation is filled from the query. */
    private List<String> components(MethodParameter parameter) {
        boolean fromQuery = parameter.getParameterType().isRecord()
                && (parameter.getParameterAnnotations().length == 0
                        || parameter.hasParameterAnnotation(ModelAttribute.class))
                && resolvers.stream().noneMatch(each -> each.supportsParameter(parameter));
        return fromQuery
                ? Arrays.stream(parameter.getParameterType().getRecordComponents())
                        .map(RecordComponent::getName)
                        .toList()
                : List.of();
    }
}
