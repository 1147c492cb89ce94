package dev.posthorn.server.web;

import dev.posthorn.server.settings.HubSettings;
import java.time.Duration;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardHost;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;

/** Tomcat's own limits, and its own errors in our form. */
@Component
class TomcatManners implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration IDLE = Duration.ofSeconds(60);

    /** Threads beyond the requests that are worked on: they turn others away and answer for the hub's health. */
    private static final int SPARE_THREADS = 20;

    private final HubSettings.Limits limits;
    private final ProblemWriter problems;

    TomcatManners(HubSettings settings, ProblemWriter problems) {
        this.limits = settings.limits();
        this.problems = problems;
    }

    @Override
    public void customize(TomcatServletWebServerFactory server) {
        server.addEngineValves(new UnreadBody(SPARE_THREADS / 2), new RequestId());
        server.addContextCustomizers(this::reportErrors);
        server.addConnectorCustomizers(this::limit);
    }

    private void reportErrors(Context context) {
        StandardHost host = (StandardHost) context.getParent();
        host.getPipeline().addValve(new ProblemValve(problems));
        // The host adds a valve of this class unless it has one: else Tomcat's would come before ours.
        host.setErrorReportValveClass(ProblemValve.class.getName());
    }

    private void limit(Connector connector) {
        AbstractHttp11Protocol<?> http = (AbstractHttp11Protocol<?>) connector.getProtocolHandler();
        http.setMaxHttpRequestHeaderSize((int) limits.headers().toBytes());
        // An answer's headers are ours; a small limit for requests must not keep us from saying so.
        http.setMaxHttpResponseHeaderSize((int) Math.max(8192, limits.headers().toBytes()));
        http.setMaxThreads(limits.concurrentRequests() + SPARE_THREADS);
        http.setAcceptCount(limits.concurrentRequests());
        http.setConnectionTimeout((int) PATIENCE.toMillis());
        http.setKeepAliveTimeout((int) IDLE.toMillis());
        connector.setXpoweredBy(false);
        // An event's id may be any text, slashes included; Spring splits the path before it decodes.
        connector.setEncodedSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
        connector.setEncodedReverseSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
    }
}
