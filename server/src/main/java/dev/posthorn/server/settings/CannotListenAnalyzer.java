package dev.posthorn.server.settings;

import java.net.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Tells by the settings where REST cannot listen; the web server knows nothing of them. gRPC says it itself. */
@Order(Ordered.HIGHEST_PRECEDENCE + 2)
final class CannotListenAnalyzer extends AbstractFailureAnalyzer<BindException> {

    private final Environment environment;

    CannotListenAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable failure, BindException cause) {
        HubSettings.Http http = Binder.get(environment)
                .bindOrCreate("posthorn", HubSettings.class)
                .http();
        WrongSettingException wrong =
                WrongSettingException.cannotListen("posthorn.http", "REST", http.address(), http.port(), cause);
        return new FailureAnalysis(String.valueOf(wrong.getMessage()), null, cause);
    }
}
