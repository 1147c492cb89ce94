package dev.posthorn.server.web;

import dev.posthorn.server.memory.Descriptors;
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
class TomcatCustomizer implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration IDLE = Duration.ofSeconds(60);

    /** Threads beyond the requests that are worked on: they turn others away and answer for the hub's health. */
    private static final int SPARE_THREADS = 20;

    /** Connections that wait to be let in: whoever finds no place there is left to try again a second later. */
    private static final int MOST_KNOCKING = 4_096;

    /** Of Tomcat's buffers for reading and writing. */
    private static final long BUFFER = 8_192;

    private final HubSettings.Limits limits;
    private final ProblemWriter problems;

    TomcatCustomizer(HubSettings settings, ProblemWriter problems) {
        this.limits = settings.limits();
        this.problems = problems;
    }

    @Override
    public void customize(TomcatServletWebServerFactory server) {
        server.setProtocol(TidyProtocol.class.getName());
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

    /**
     * A quarter of the heap's worth: each has buffers for what it says and is told, also if it never says a word. At most
     * half of the files that the process may have open: gRPC has a quarter, and the database and receivers need theirs.
     */
    private int mostConnections() {
        long each = 4 * BUFFER + 2 * Math.max(BUFFER, limits.headers().toBytes());
        long room = Math.min(Runtime.getRuntime().maxMemory() / 4 / each, Descriptors.most() / 2);
        return (int) Math.max(2L * limits.concurrentRequests(), room);
    }

    private void limit(Connector connector) {
        AbstractHttp11Protocol<?> http = (AbstractHttp11Protocol<?>) connector.getProtocolHandler();
        http.setMaxHttpRequestHeaderSize((int) limits.headers().toBytes());
        // An answer's headers are ours; a small limit for requests must not keep us from saying so.
        http.setMaxHttpResponseHeaderSize(
                (int) Math.max(BUFFER, limits.headers().toBytes()));
        http.setMaxThreads(limits.concurrentRequests() + SPARE_THREADS);
        http.setAcceptCount(MOST_KNOCKING);
        http.setMaxConnections(Math.min(http.getMaxConnections(), mostConnections()));
        http.setConnectionTimeout((int) PATIENCE.toMillis());
        http.setKeepAliveTimeout((int) IDLE.toMillis());
        connector.setXpoweredBy(false);
        // An event's id may be any text, slashes included; Spring splits the path before it decodes.
        connector.setEncodedSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
        connector.setEncodedReverseSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
    }
}
