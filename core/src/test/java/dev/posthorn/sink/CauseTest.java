package dev.posthorn.sink;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CauseTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "HTTP 503 after 1200 ms                                | HTTP # after # ms",
                "order 4711 of 2026-01-31T12:00:00.5Z                  | order # of #-#-#T#:#:#.#Z",
                "order 0191F3C2-9b1e-7ccc-8000-0123456789ab is unknown | order <uuid> is unknown",
                "object Order@1a2b3c4d                                 | object Order@<hex>",
                "at 0x7fff of deadbeef0                                | at <hex> of <hex>",
                "effaced facades: 12345678                             | effaced facades: #",
                "field \"amount\" is 'null'                            | field \"amount\" is 'null'",
                "two   spaces                                          | two spaces",
            })
    void whatDiffersFromOneEventToTheNextIsLeftOut(String message, String cause) {
        assertThat(Cause.of(message)).isEqualTo(cause);
    }

    @Test
    void lineBreaksAndControlCharactersBecomeOneSpace() {
        assertThat(Cause.of(" first\r\n\tsecond\0third ")).isEqualTo("first second third");
    }

    @Test
    void itIsNeverEmpty() {
        assertThat(Cause.of(" \n")).isEqualTo("(no message)");
    }

    @Test
    void itIsCutToTwoHundredCharactersButNotThroughASurrogatePair() {
        assertThat(Cause.of("x".repeat(1_000_000))).isEqualTo("x".repeat(200));
        assertThat(Cause.of("x".repeat(199) + "\uD83D\uDCEF" + "y")).isEqualTo("x".repeat(199));
    }

    @Test
    void aLongRunOfHexadecimalDigitsTakesNoTime() {
        assertThat(Cause.of("body: " + "0123456789abcdef".repeat(100_000))).isEqualTo("body: <hex>");
    }
}
