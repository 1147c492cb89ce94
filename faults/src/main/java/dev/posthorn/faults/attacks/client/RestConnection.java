package dev.posthorn.faults.attacks.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One connection over HTTP/1.1 that is kept as long as the hub keeps it. So little of a client that hundreds of them leave
 * the machine to the hub.
 */
public final class RestConnection implements AutoCloseable {

    private final int port;
    private final String key;
    private final Duration patience;
    private volatile @Nullable Socket socket;
    private volatile boolean aborted;
    private @Nullable InputStream in;

    /**
     * @param key empty for none
     */
    public RestConnection(int port, String key, Duration patience) {
        this.port = port;
        this.key = key;
        this.patience = patience;
    }

    public RestAnswer get(String path) throws IOException {
        return call("GET", path, "");
    }

    /** Asks once more, on a new connection, if the hub has closed the kept one meanwhile, as every client does. */
    public RestAnswer call(String method, String path, String body) throws IOException {
        boolean kept = socket != null;
        try {
            return ask(method, path, body);
        } catch (EOFException | java.net.SocketException closed) {
            close();
            if (!kept || aborted) {
                throw closed;
            }
            return call(method, path, body);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private RestAnswer ask(String method, String path, String body) throws IOException {
        Socket open = open();
        byte[] content = body.getBytes(UTF_8);
        ByteArrayOutputStream request = new ByteArrayOutputStream(content.length + 300);
        request.writeBytes((method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + (key.isEmpty() ? "" : "Authorization: Bearer " + key + "\r\n")
                        + (body.isEmpty() ? "" : "Content-Length: " + content.length + "\r\n")
                        + "\r\n")
                .getBytes(ISO_8859_1));
        request.writeBytes(content);
        open.getOutputStream().write(request.toByteArray());
        return read();
    }

    private Socket open() throws IOException {
        Socket open = socket;
        if (open == null) {
            open = new Socket();
            socket = open;
            open.setTcpNoDelay(true);
            open.setSoTimeout((int) patience.toMillis());
            open.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), (int) patience.toMillis());
            in = new BufferedInputStream(open.getInputStream());
        }
        return open;
    }

    private RestAnswer read() throws IOException {
        int status = Integer.parseInt(line().split(" ", 3)[1]);
        boolean asksToRetry = false;
        boolean closes = false;
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT);
            asksToRetry |= lower.startsWith("retry-after:");
            closes |= lower.equals("connection: close");
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(lower.substring(15).strip());
            } else if (lower.equals("transfer-encoding: chunked")) {
                length = -1;
            }
        }
        RestAnswer answer = new RestAnswer(status, asksToRetry, length < 0 ? chunks() : text(length));
        if (closes) {
            close();
        }
        return answer;
    }

    private String chunks() throws IOException {
        StringBuilder body = new StringBuilder();
        for (int size = chunk(); size > 0; size = chunk()) {
            body.append(text(size));
            line();
        }
        line();
        return body.toString();
    }

    private int chunk() throws IOException {
        return Integer.parseInt(line(), 16);
    }

    private String text(int length) throws IOException {
        byte[] bytes = in().readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("closed in the middle of an answer");
        }
        return new String(bytes, UTF_8);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in().read(); c != '\n'; c = in().read()) {
            if (c < 0) {
                throw new EOFException("closed without an answer");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    private InputStream in() throws IOException {
        if (in == null) {
            throw new EOFException("not open");
        }
        return in;
    }

    /** Ends a call that another thread waits in. */
    public void abort() throws IOException {
        aborted = true;
        Socket open = socket;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void close() throws IOException {
        Socket open = socket;
        if (open != null) {
            open.close();
            socket = null;
        }
    }
}
