package dev.posthorn.server.settings;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Tells a mistake in the settings by its message alone. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class WrongSettingAnalyzer extends AbstractFailureAnalyzer<WrongSettingException> {

    @Override
    protected FailureAnalysis analyze(Throwable failure, WrongSettingException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), null, cause);
    }
}
