package dev.posthorn.http.receiver;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLContext;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.Message;
import org.apache.hc.core5.http.URIScheme;
import org.apache.hc.core5.http.impl.bootstrap.HttpAsyncServer;
import org.apache.hc.core5.http.message.BasicHttpResponse;
import org.apache.hc.core5.http.nio.AsyncRequestConsumer;
import org.apache.hc.core5.http.nio.AsyncServerRequestHandler;
import org.apache.hc.core5.http.nio.entity.BasicAsyncEntityConsumer;
import org.apache.hc.core5.http.nio.support.BasicRequestConsumer;
import org.apache.hc.core5.http.nio.support.BasicResponseProducer;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http.protocol.HttpCoreContext;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.http2.impl.nio.bootstrap.H2ServerBootstrap;
import org.apache.hc.core5.http2.ssl.H2ServerTlsStrategy;
import org.apache.hc.core5.io.CloseMode;

/** A server that offers HTTP/2 and HTTP/1.1 over TLS, and takes everything. */
public final class Http2Receiver implements AutoCloseable, AsyncServerRequestHandler<Message<HttpRequest, byte[]>> {

    private final HttpAsyncServer server;
    private final int port;
    private final List<String> versions = new CopyOnWriteArrayList<>();
    private final List<String> ids = new CopyOnWriteArrayList<>();
    private final Set<String> connections = ConcurrentHashMap.newKeySet();

    public Http2Receiver(SSLContext context) throws ExecutionException, InterruptedException {
        server = H2ServerBootstrap.bootstrap()
                .setVersionPolicy(HttpVersionPolicy.NEGOTIATE)
                .setTlsStrategy(new H2ServerTlsStrategy(context))
                .setCanonicalHostName("127.0.0.1")
                .register("*", this)
                .create();
        server.start();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        port = ((InetSocketAddress)
                        server.listen(address, URIScheme.HTTPS).get().getAddress())
                .getPort();
    }

    public int port() {
        return port;
    }

    public String url() {
        return "https://127.0.0.1:" + port + "/hook";
    }

    /** Of each request, as HTTP/2.0. */
    public List<String> versions() {
        return versions;
    }

    public List<String> ids() {
        return ids;
    }

    public int connections() {
        return connections.size();
    }

    @Override
    public AsyncRequestConsumer<Message<HttpRequest, byte[]>> prepare(
            HttpRequest request, EntityDetails entity, HttpContext context) {
        return new BasicRequestConsumer<>(entity == null ? null : new BasicAsyncEntityConsumer());
    }

    @Override
    public void handle(Message<HttpRequest, byte[]> request, ResponseTrigger trigger, HttpContext context)
            throws HttpException, IOException {
        HttpCoreContext details = HttpCoreContext.cast(context);
        versions.add(details.getProtocolVersion().format());
        ids.add(request.getHead().getFirstHeader("webhook-id").getValue());
        connections.add(details.getEndpointDetails().getRemoteAddress().toString());
        trigger.submitResponse(new BasicResponseProducer(new BasicHttpResponse(204)), context);
    }

    @Override
    public void close() {
        server.close(CloseMode.IMMEDIATE);
    }
}
