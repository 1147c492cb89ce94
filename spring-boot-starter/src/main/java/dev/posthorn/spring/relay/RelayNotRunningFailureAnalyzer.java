package dev.posthorn.spring.relay;

import dev.posthorn.relay.Relay;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;

/** Explains why a relay cannot be injected. Before Spring Boot's own analyzer, which would tell to define one. */
final class RelayNotRunningFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException>
        implements Ordered {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, NoSuchBeanDefinitionException cause) {
        return cause.getBeanType() != Relay.class
                ? null
                : new FailureAnalysis(
                        "A Relay is injected while beans are made, but there is one only while the application runs, and"
                                + " with posthorn.role=writer never",
                        "Inject an ObjectProvider<Relay> and ask it for the relay when it is needed.",
                        cause);
    }

    @Override
    public int getOrder() {
        return -1;
    }
}
