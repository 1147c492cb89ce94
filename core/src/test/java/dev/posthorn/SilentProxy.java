package dev.posthorn;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A port in front of a server whose connections can fall silent, as when a host is gone: they stay open, and nothing is
 * taken from them or given to them any more. New connections work.
 */
public final class SilentProxy implements AutoCloseable {

    private final int target;
    private final ServerSocket listener;
    private final List<Link> links = new CopyOnWriteArrayList<>();

    private SilentProxy(int target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    public static SilentProxy to(int port) {
        try {
            return new SilentProxy(port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static SilentProxy to(TestDatabase database) {
        return to(database.port());
    }

    /** The database by way of this port, without a pool. */
    public DataSource dataSource(TestDatabase database) {
        PGSimpleDataSource through = new PGSimpleDataSource();
        through.setServerNames(new String[] {"127.0.0.1"});
        through.setPortNumbers(new int[] {listener.getLocalPort()});
        through.setDatabaseName(database.name());
        through.setUser(database.user());
        through.setPassword(database.password());
        // One that falls silent while it is being made is the driver's to give up.
        through.setLoginTimeout(5);
        return through;
    }

    /** How many connections were made since it last fell silent. */
    public int alive() {
        return (int) links.stream().filter(link -> !link.silent).count();
    }

    /** What is connected now hears nothing more. */
    public void fallSilent() {
        links.forEach(link -> link.silent = true);
    }

    @Override
    public void close() {
        quietly(listener);
        links.forEach(Link::end);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Link link = new Link(listener.accept(), new Socket(InetAddress.getLoopbackAddress(), target));
                // Known before it carries anything, or a connection that is in use would not fall silent.
                links.add(link);
                link.open();
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "silent-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private static void quietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception alreadyClosed) {
            // nothing is left to free
        }
    }

    private static final class Link {

        private final Socket client;
        private final Socket server;
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile boolean silent;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void open() {
            start(() -> pump(client, server));
            start(() -> pump(server, client));
        }

        private void pump(Socket from, Socket to) {
            byte[] buffer = new byte[1 << 16];
            try (InputStream in = from.getInputStream();
                    OutputStream out = to.getOutputStream()) {
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    if (silent) {
                        ended.await();
                    }
                    out.write(buffer, 0, count);
                }
            } catch (IOException | InterruptedException e) {
                end();
            }
        }

        void end() {
            ended.countDown();
            quietly(client);
            quietly(server);
        }
    }
}
