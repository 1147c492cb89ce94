package dev.posthorn.server.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/** A file of the console, held in memory. */
final class ConsoleFile {

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=UTF-8",
            "js", "text/javascript;charset=UTF-8",
            "css", "text/css;charset=UTF-8",
            "json", "application/json",
            "svg", "image/svg+xml",
            "png", "image/png",
            "ico", "image/x-icon",
            "webmanifest", "application/manifest+json",
            "txt", "text/plain;charset=UTF-8",
            "woff2", "font/woff2");

    private final String type;
    private final byte[] content;
    private final byte[] zipped;

    private ConsoleFile(String type, byte[] content, byte[] zipped) {
        this.type = type;
        this.content = content;
        this.zipped = zipped;
    }

    /** The file of that name in a folder of the class path; files of kinds that a console does not have are not served. */
    static Optional<ConsoleFile> read(String folder, String name) {
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT));
        URL url = ConsoleFile.class.getClassLoader().getResource(folder + name);
        if (type == null || url == null) {
            return Optional.empty();
        }
        try (InputStream in = url.openStream()) {
            byte[] content = in.readAllBytes();
            return Optional.of(new ConsoleFile(type, content, zipped(content)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] zipped(byte[] content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
            zip.write(content);
        }
        return bytes.toByteArray();
    }

    String type() {
        return type;
    }

    byte[] content() {
        return content;
    }

    /** The content with gzip; the smallest files may be larger so. */
    byte[] zipped() {
        return zipped;
    }

    /** Whether that is worth it. */
    boolean isSmallerZipped() {
        return zipped.length < content.length;
    }
}
