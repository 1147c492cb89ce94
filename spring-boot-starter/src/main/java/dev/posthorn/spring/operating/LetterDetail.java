package dev.posthorn.spring.operating;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.deadletter.DeadLetter;
import dev.posthorn.deadletter.FullDeadLetter;
import dev.posthorn.event.Event;
import dev.posthorn.subscription.Attempt;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter with everything that belongs to it.
 *
 * @param payload as text; null if it is none
 * @param payloadBase64 what is no text
 */
record LetterDetail(
        DeadLetter letter,
        int version,
        String contentType,
        @Nullable String payload,
        @Nullable String payloadBase64,
        Map<String, String> headers,
        List<Attempt> made,
        boolean replaying,
        @Nullable Long replay) {

    static LetterDetail of(FullDeadLetter full) {
        Event event = full.event().event();
        String text = text(event.payload());
        return new LetterDetail(
                full.letter(),
                event.version(),
                event.contentType(),
                text,
                text == null ? Base64.getEncoder().encodeToString(event.payload()) : null,
                event.headers(),
                full.attempts(),
                full.replaying(),
                full.replay());
    }

    private static @Nullable String text(byte[] payload) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
