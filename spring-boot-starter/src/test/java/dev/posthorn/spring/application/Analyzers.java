package dev.posthorn.spring.application;

import java.util.List;
import java.util.Objects;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** Posthorn's failure analyzers, as Spring Boot finds them. */
final class Analyzers {

    static final List<FailureAnalyzer> ALL = SpringFactoriesLoader.forDefaultResourceLocation()
            // Some of Spring Boot's own want to be told of the application.
            .load(FailureAnalyzer.class, (type, name, failure) -> {})
            .stream()
            .filter(each -> each.getClass().getName().startsWith("dev.posthorn."))
            .toList();

    private Analyzers() {}

    static FailureAnalysis analyze(Throwable failure) {
        return ALL.stream()
                .map(each -> each.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new AssertionError("nobody explains it", failure));
    }
}
