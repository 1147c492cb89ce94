package dev.posthorn.server.settings;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Tells a setting that only the part that it is for could judge, such as a key, by what that part says. */
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
final class RefusedSettingAnalyzer extends AbstractFailureAnalyzer<PosthornException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable failure, PosthornException cause) {
        return cause.code() == ErrorCode.INVALID_SETTING
                ? new FailureAnalysis(String.valueOf(cause.getMessage()), null, cause)
                : null;
    }
}
