package dev.posthorn.spring.outbox;

import dev.posthorn.spring.NoTransactionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** For events that are recorded while the application starts. */
final class NoTransactionFailureAnalyzer extends AbstractFailureAnalyzer<NoTransactionException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, NoTransactionException cause) {
        return new FailureAnalysis(cause.problem() + ".", cause.remedy() + ".", cause);
    }
}
