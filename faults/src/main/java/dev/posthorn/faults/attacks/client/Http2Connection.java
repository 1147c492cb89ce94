package dev.posthorn.faults.attacks.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;

/** Frames of HTTP/2 as no client of gRPC would write them. */
public final class Http2Connection implements AutoCloseable {

    /** So much a client may send, on a stream and on all together, before the hub has allowed it more. */
    private static final int FIRST_WINDOW = 65_535;

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int GOAWAY = 7;
    private static final int WINDOW_UPDATE = 8;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int FRAME = 16_384;
    private static final byte[] CANCEL = {0, 0, 0, 8};

    private static final byte[] CALL_OF_HEALTH = headers(List.of(
            ":method",
            "POST",
            ":scheme",
            "http",
            ":path",
            "/grpc.health.v1.Health/Check",
            ":authority",
            "localhost",
            "content-type",
            "application/grpc",
            "te",
            "trailers"));

    private final Socket socket;
    private final DataOutputStream out;
    private long window = FIRST_WINDOW;

    public Http2Connection(int port) throws IOException {
        this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
        this.out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 2 * FRAME));
        out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(ISO_8859_1));
        frame(SETTINGS, 0, 0, new byte[0]);
        out.flush();
    }

    /** Names and values in turn, as HPACK writes them without a table. */
    private static byte[] headers(List<String> texts) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        for (int i = 0; i < texts.size(); i++) {
            if (i % 2 == 0) {
                block.write(0);
            }
            block.write(texts.get(i).length());
            block.writeBytes(texts.get(i).getBytes(ISO_8859_1));
        }
        return block.toByteArray();
    }

    private synchronized void frame(int type, int flags, int stream, byte[] content) throws IOException {
        out.writeByte(0);
        out.writeShort(content.length);
        out.writeByte(type);
        out.writeByte(flags);
        out.writeInt(stream);
        out.write(content);
    }

    public void openCall(int stream) throws IOException {
        frame(HEADERS, END_HEADERS, stream, CALL_OF_HEALTH);
    }

    public void reset(int stream) throws IOException {
        frame(RST_STREAM, 0, stream, CANCEL);
    }

    /** False, and nothing is sent, as long as the hub does not allow so much. */
    public synchronized boolean send(int stream, byte[] data) throws IOException {
        if (window < data.length) {
            return false;
        }
        window -= data.length;
        for (int from = 0; from < data.length; from += FRAME) {
            frame(DATA, 0, stream, Arrays.copyOfRange(data, from, Math.min(data.length, from + FRAME)));
        }
        return true;
    }

    private synchronized void allow(int more) {
        window += more;
    }

    public synchronized void flush() throws IOException {
        out.flush();
    }

    /** Reads until the hub closes the connection or says that it will. */
    public void read(IntConsumer ended) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        while (true) {
            int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int stream = in.readInt();
            byte[] content = in.readNBytes(length);
            if (type == GOAWAY) {
                return;
            }
            if (type == SETTINGS && (flags & 1) == 0) {
                frame(SETTINGS, 1, 0, new byte[0]);
                flush();
            }
            if (type == WINDOW_UPDATE && stream == 0) {
                allow(ByteBuffer.wrap(content).getInt());
            }
            if (type == RST_STREAM || (type == HEADERS && (flags & END_STREAM) != 0)) {
                ended.accept(stream);
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
