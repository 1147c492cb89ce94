package dev.posthorn.http.client;

import dev.posthorn.http.address.Target;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * What a sink's connections have to know.
 *
 * @param idle after which time without a request a connection is closed
 * @param once whether each request has a connection of its own
 */
public record ClientSettings(@Nullable Target proxy, SSLContext tls, int concurrency, Duration idle, boolean once) {}
