package dev.posthorn.server.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import dev.posthorn.event.EventLimits;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/** A CloudEvent in the binary form of its HTTP binding: attributes in headers, the body as its data. */
final class BinaryEvent {

    private static final String PREFIX = "ce-";

    private final Refusals refusals = new Refusals(FormFieldNames.BINARY);
    private final EventDraft draft = new EventDraft(refusals);
    private final CloudEvent event = new CloudEvent(draft, (name, rule) -> refusals.add(PREFIX + name, rule));

    static boolean isMeant(HttpHeaders headers) {
        return headers.headerNames().stream().anyMatch(BinaryEvent::isAttribute);
    }

    private static boolean isAttribute(String header) {
        return header.regionMatches(true, 0, PREFIX, 0, PREFIX.length());
    }

    static Batch read(HttpHeaders headers, byte[] body, EventLimits limits, TraceContext trace) {
        BinaryEvent reading = new BinaryEvent();
        for (Map.Entry<String, List<String>> header : headers.headerSet()) {
            if (isAttribute(header.getKey())) {
                reading.attribute(header.getKey().toLowerCase(Locale.ROOT), header.getValue());
            }
        }
        return reading.finish(headers.getFirst(HttpHeaders.CONTENT_TYPE), body, limits, trace);
    }

    private void attribute(String header, List<String> values) {
        String name = header.substring(PREFIX.length());
        if (!CloudEvent.isName(name)) {
            refusals.add(header, "cannot be an attribute; after ce- use letters and digits");
        } else if (name.equals("datacontenttype")) {
            refusals.add(header, "is not part of the binary form; say it in Content-Type");
        } else {
            values.forEach(value -> event.attribute(name, decoded(header, value)));
        }
    }

    private @Nullable String decoded(String header, String value) {
        String text = decode(value);
        if (text == null) {
            refusals.add(header, "is not percent-encoded UTF-8, as the HTTP binding of CloudEvents has it");
        }
        return text;
    }

    private Batch finish(@Nullable String contentType, byte[] body, EventLimits limits, TraceContext trace) {
        event.end();
        draft.contentType(contentType);
        if (body.length > 0) {
            draft.bytes(body);
        }
        Event built = draft.finish(limits, trace);
        refusals.throwIfAny();
        return new Batch(built == null ? List.of() : List.of(built), false, refusals);
    }

    /** What the header stands for; null if it cannot be told. */
    static @Nullable String decode(String value) {
        String text = unquoted(value);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            int c = text.charAt(i);
            if (c == '%') {
                c = hex(text, i + 1);
                i += 2;
            } else if (c < ' ' || c > '~') {
                return null;
            }
            if (c < 0) {
                return null;
            }
            bytes.write(c);
        }
        try {
            return UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static int hex(String text, int from) {
        if (from + 2 > text.length()) {
            return -1;
        }
        int high = Character.digit(text.charAt(from), 16);
        int low = Character.digit(text.charAt(from + 1), 16);
        return high < 0 || low < 0 ? -1 : high * 16 + low;
    }

    /** Earlier versions of the binding quoted values. */
    private static String unquoted(String value) {
        if (value.length() < 2 || !value.startsWith("\"") || !value.endsWith("\"")) {
            return value;
        }
        return value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1");
    }
}
