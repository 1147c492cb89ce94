package dev.posthorn.server.grpc;

import dev.posthorn.server.memory.Descriptors;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler.Sharable;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.net.SocketAddress;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The connections of gRPC, of which there are as many as an eighth of the heap has room for, and as a quarter of the files
 * that the process may have open: beyond these the hub would not reach its own database. Everybody is let in; where all places are taken, the connection goes that has been open longest without a call that was admitted, so that a crowd of
 * strangers keeps nobody out who has a key.
 */
@Component
class OpenConnections {

    /** Twice what 8,000 idle ones were seen to cost: 6 to 7 KB of heap each, and 4 to 8 KB of the whole process. */
    private static final long BYTES_EACH = 16 << 10;

    private static final int FEWEST = 64;

    private final int most;
    private final Map<SocketAddress, Channel> strangers = new LinkedHashMap<>();
    private final Map<SocketAddress, Channel> known = new LinkedHashMap<>();

    OpenConnections() {
        this((int)
                Math.max(FEWEST, Math.min(Runtime.getRuntime().maxMemory() / 8 / BYTES_EACH, Descriptors.most() / 4)));
    }

    OpenConnections(int most) {
        this.most = most;
    }

    /** Has the server count its connections here. What is returned has to be shut down after the server. */
    EventLoopGroup serve(NettyServerBuilder server) {
        boolean epoll = Epoll.isAvailable();
        IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
                Runtime.getRuntime().availableProcessors() + 1, new DefaultThreadFactory("posthorn-grpc-io", true), io);
        server.bossEventLoopGroup(loops)
                .workerEventLoopGroup(loops)
                .channelFactory(() -> counted(epoll ? new EpollServerSocketChannel() : new NioServerSocketChannel()));
        return loops;
    }

    private ServerChannel counted(ServerChannel listening) {
        listening.pipeline().addLast(new Door());
        return listening;
    }

    /** Of the listening socket: it is handed each connection before gRPC is. */
    @Sharable
    private final class Door extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object accepted) {
            if (accepted instanceof Channel connection && !enter(connection)) {
                connection.unsafe().closeForcibly();
                return;
            }
            context.fireChannelRead(accepted);
        }
    }

    /** False where all places are taken by those who have a key. */
    @SuppressWarnings("FutureReturnValueIgnored") // Nobody waits for the end of a connection.
    private boolean enter(Channel connection) {
        @Nullable SocketAddress peer = connection.remoteAddress();
        if (peer == null) {
            // It has gone already.
            return true;
        }
        Channel leaving;
        synchronized (this) {
            leaving = isFull() ? longestStranger() : null;
            if (leaving == null && isFull()) {
                return false;
            }
            strangers.put(peer, connection);
        }
        if (leaving != null) {
            closeAtOnce(leaving);
        }
        connection.closeFuture().addListener(closed -> leave(peer, connection));
        return true;
    }

    /** By itself gRPC would take leave of a connection for half a minute. */
    private static void closeAtOnce(Channel leaving) {
        if (leaving.isRegistered()) {
            leaving.eventLoop().execute(() -> leaving.unsafe().close(leaving.voidPromise()));
        } else {
            leaving.unsafe().close(leaving.voidPromise());
        }
    }

    private boolean isFull() {
        return strangers.size() + known.size() >= most;
    }

    private @Nullable Channel longestStranger() {
        Iterator<Channel> oldestFirst = strangers.values().iterator();
        if (!oldestFirst.hasNext()) {
            return null;
        }
        Channel oldest = oldestFirst.next();
        oldestFirst.remove();
        return oldest;
    }

    private synchronized void leave(SocketAddress peer, Channel connection) {
        strangers.remove(peer, connection);
        known.remove(peer, connection);
    }

    /** A call on it was admitted: it stays. */
    synchronized void admitted(@Nullable SocketAddress peer) {
        Channel connection = peer == null ? null : strangers.remove(peer);
        if (connection != null && peer != null) {
            known.put(peer, connection);
        }
    }

    synchronized int count() {
        return strangers.size() + known.size();
    }
}
