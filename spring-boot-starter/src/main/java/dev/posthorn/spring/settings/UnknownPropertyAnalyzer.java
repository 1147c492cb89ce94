package dev.posthorn.spring.settings;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

final class UnknownPropertyAnalyzer extends AbstractFailureAnalyzer<UnknownPropertyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnknownPropertyException cause) {
        return new FailureAnalysis(
                cause.getMessage(),
                "Correct what is misspelt and remove what is left over: it would have no effect. docs/spring-boot.md"
                        + " lists all properties.",
                cause);
    }
}
