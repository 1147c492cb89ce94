package dev.posthorn.http.client;

import java.util.Objects;
import org.apache.hc.client5.http.impl.DefaultClientConnectionReuseStrategy;
import org.apache.hc.core5.function.Callback;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.config.CharCodingConfig;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.nio.ClientHttp1IOEventHandler;
import org.apache.hc.core5.http.impl.nio.ClientHttp1StreamDuplexerFactory;
import org.apache.hc.core5.http.impl.nio.DefaultHttpRequestWriterFactory;
import org.apache.hc.core5.http.impl.nio.DefaultHttpResponseParserFactory;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http.protocol.HttpProcessor;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.http2.config.H2Config;
import org.apache.hc.core5.http2.frame.FrameConsts;
import org.apache.hc.core5.http2.impl.nio.ClientH2StreamMultiplexerFactory;
import org.apache.hc.core5.http2.impl.nio.ClientH2UpgradeHandler;
import org.apache.hc.core5.http2.impl.nio.ClientHttp1UpgradeHandler;
import org.apache.hc.core5.http2.impl.nio.HttpProtocolNegotiator;
import org.apache.hc.core5.http2.ssl.ApplicationProtocol;
import org.apache.hc.core5.reactor.IOEventHandler;
import org.apache.hc.core5.reactor.IOEventHandlerFactory;
import org.apache.hc.core5.reactor.ProtocolIOSession;
import org.jspecify.annotations.Nullable;

/** Speaks HTTP/1.1 or HTTP/2 over a new connection, and adds to each request what belongs to the connection. */
final class HttpProtocols implements IOEventHandlerFactory {

    private static final int LONGEST_HEADER_LINE = 16 << 10;
    private static final int MOST_HEADERS = 200;

    /** To begin with: what is longer makes them grow, and there can be thousands of connections. */
    private static final int BUFFER = 2 << 10;

    private static final String USER_AGENT =
            userAgent(HttpProtocols.class.getPackage().getImplementationVersion());

    private final Callback<Exception> told;
    private final ClientHttp1StreamDuplexerFactory http1;
    private final ClientH2StreamMultiplexerFactory http2;

    HttpProtocols(Callback<Exception> told) {
        this.told = told;
        Http1Config limits = Http1Config.custom()
                .setMaxLineLength(LONGEST_HEADER_LINE)
                .setMaxHeaderCount(MOST_HEADERS)
                .setBufferSize(BUFFER)
                .build();
        HttpProcessor completion = new Completion();
        this.http1 = new ClientHttp1StreamDuplexerFactory(
                completion,
                limits,
                CharCodingConfig.DEFAULT,
                DefaultClientConnectionReuseStrategy.INSTANCE,
                new DefaultHttpResponseParserFactory(limits),
                DefaultHttpRequestWriterFactory.INSTANCE,
                null);
        this.http2 = new ClientH2StreamMultiplexerFactory(
                completion,
                null,
                H2Config.custom()
                        .setPushEnabled(false)
                        .setMaxFrameSize(FrameConsts.MIN_FRAME_SIZE)
                        .build(),
                CharCodingConfig.DEFAULT,
                null);
    }

    private static String userAgent(@Nullable String version) {
        return version == null ? "Posthorn" : "Posthorn/" + version;
    }

    @Override
    public IOEventHandler createHandler(ProtocolIOSession session, @Nullable Object policy) {
        session.registerProtocol(ApplicationProtocol.HTTP_1_1.id, new ClientHttp1UpgradeHandler(http1));
        session.registerProtocol(ApplicationProtocol.HTTP_2.id, new ClientH2UpgradeHandler(http2, told));
        return policy == HttpVersionPolicy.FORCE_HTTP_1
                ? new ClientHttp1IOEventHandler(http1.create(session))
                : new HttpProtocolNegotiator(session, null);
    }

    /** Nobody else may set these headers, so that none has to be looked for before it is added. */
    private static final class Completion implements HttpProcessor {

        @Override
        public void process(HttpRequest request, @Nullable EntityDetails body, HttpContext context) {
            if (context.getProtocolVersion().lessEquals(HttpVersion.HTTP_1_1)) {
                request.addHeader(HttpHeaders.HOST, Objects.requireNonNull(request.getAuthority()));
                request.addHeader(HttpHeaders.CONNECTION, "keep-alive");
                if (body != null) {
                    request.addHeader(HttpHeaders.CONTENT_LENGTH, Long.toString(body.getContentLength()));
                }
            }
            request.addHeader(HttpHeaders.USER_AGENT, USER_AGENT);
        }

        @Override
        public void process(HttpResponse response, @Nullable EntityDetails body, HttpContext context) {}
    }
}
