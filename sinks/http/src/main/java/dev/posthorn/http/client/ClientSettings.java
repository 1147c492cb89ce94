package dev.posthorn.http.client;

import dev.posthorn.http.address.Target;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * What a sink's connections have to know.
 *
 * @param receiver as a log may name it
 * @param once whether each request has a connection of its own
 */
public record ClientSettings(
        String host, String receiver, @Nullable Target proxy, SSLContext tls, int concurrency, boolean once) {}
