package dev.posthorn.http.receiver;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The receiver's end of one connection. */
public final class Wire {

    private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *([0-9]+)");
    private static final int DRIP_MILLIS = 20;

    private final Socket socket;
    private final InputStream in;
    private final int number;
    private final CountDownLatch closing;
    private final AtomicInteger requests;

    /** @param requests counts the requests that came */
    Wire(Socket socket, int number, CountDownLatch closing, AtomicInteger requests) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.number = number;
        this.closing = closing;
        this.requests = requests;
    }

    /** Which of the receiver's connections it is, counted from 1. */
    public int number() {
        return number;
    }

    /** Reads a request's head. */
    public String head() throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException();
            }
            head.append((char) next);
        }
        requests.incrementAndGet();
        return head.toString();
    }

    /** Reads a whole request. */
    public void request() throws IOException {
        body(head());
    }

    /** Reads the body that belongs to this head. */
    public void body(String head) throws IOException {
        Matcher length = LENGTH.matcher(head);
        in.skipNBytes(length.find() ? Long.parseLong(length.group(1)) : 0);
    }

    /** Reads what comes next, whatever it is. */
    public void read(int bytes) throws IOException {
        in.skipNBytes(bytes);
    }

    /** Reads until the other side ends. */
    public void drain() throws IOException {
        in.transferTo(OutputStream.nullOutputStream());
    }

    public void say(String text) throws IOException {
        say(text.getBytes(ISO_8859_1));
    }

    public void say(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    public void say(byte[] bytes, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            say(bytes);
        }
    }

    void sayForEver(String piece, int times) throws IOException {
        byte[] bytes = piece.repeat(times).getBytes(ISO_8859_1);
        while (true) {
            say(bytes);
        }
    }

    /** Says the text byte by byte, again and again. */
    void drip(String text) throws IOException, InterruptedException {
        while (true) {
            for (byte each : text.getBytes(ISO_8859_1)) {
                socket.getOutputStream().write(each);
                pause();
            }
        }
    }

    /** Reads byte by byte. */
    void sip() throws IOException, InterruptedException {
        while (socket.getInputStream().read() >= 0) {
            pause();
        }
    }

    private void pause() throws InterruptedException {
        if (closing.await(DRIP_MILLIS, TimeUnit.MILLISECONDS)) {
            throw new InterruptedException("the test is over");
        }
    }

    public void hang() throws InterruptedException {
        closing.await();
    }

    /** Ends without a word, by an RST. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Says that nothing more will be said, and goes on listening. */
    void endOutput() throws IOException {
        socket.shutdownOutput();
    }
}
