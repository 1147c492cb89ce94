package dev.posthorn.server.masking;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

class MaskedJsonTest {

    private static final JsonMapper JSON = Json.mapper(64);

    private static String masked(String json, String... pointers) {
        return MaskedJson.of(json, Masks.of(List.of(pointers)), JSON).text();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"a\":\"x\",\"b\":1}           | /a      | {\"a\":\"•••\",\"b\":1}",
                "{\"a\":12 , \"b\":1}            | /a      | {\"a\":\"•••\" , \"b\":1}",
                "{\"a\":null}                    | /a      | {\"a\":\"•••\"}",
                "{\"a\":true}                    | /a      | {\"a\":\"•••\"}",
                "{\"a\":{\"b\":[1,{}]} ,\"c\":2} | /a      | {\"a\":\"•••\" ,\"c\":2}",
                "{\"a\":{\"b\":{\"c\":1}}}       | /a/b/c  | {\"a\":{\"b\":{\"c\":\"•••\"}}}",
                "{\"\":1,\"a\":2}                | /       | {\"\":\"•••\",\"a\":2}",
                "{\"a/b\":1,\"a\":{\"b\":2}}     | /a~1b   | {\"a/b\":\"•••\",\"a\":{\"b\":2}}",
                "{\"m~n\":1}                     | /m~0n   | {\"m~n\":\"•••\"}",
                "{\"~1\":1,\"/\":2}              | /~01    | {\"~1\":\"•••\",\"/\":2}",
                "{\"\\u0061\":1}                 | /a      | {\"\\u0061\":\"•••\"}",
                "[1,2,3]                         | /1      | [1,\"•••\",3]",
                "[1,2]                           | /01     | [1,2]",
                "[1,2]                           | /-      | [1,2]",
                "{\"0\":1}                       | /0      | {\"0\":\"•••\"}",
                "[[1],[2,3]]                     | /*/0    | [[\"•••\"],[\"•••\",3]]",
                "{\"a\":{\"x\":1},\"b\":{\"x\":2}} | /*/x  | {\"a\":{\"x\":\"•••\"},\"b\":{\"x\":\"•••\"}}",
                "{\"*\":1,\"b\":2}               | /*      | {\"*\":\"•••\",\"b\":\"•••\"}",
                "{\"a*\":1,\"ab\":2}             | /a*     | {\"a*\":\"•••\",\"ab\":2}",
                "{\"a\":\"text\"}                | /a/b    | {\"a\":\"text\"}",
                "{\"A\":1}                       | /a      | {\"A\":1}",
                "7                               | /a      | 7",
            })
    void aPointerMasksWhatItNames(String json, String pointer, String expected) {
        assertThat(masked(json, pointer)).isEqualTo(expected);
    }

    @Test
    void theEmptyPointerIsTheWholeDocument() {
        assertThat(masked(" {\"a\": [1]} ", "")).isEqualTo(" \"•••\" ");
        assertThat(masked("17", "")).isEqualTo("\"•••\"");
        assertThat(masked("\"x\"", "")).isEqualTo("\"•••\"");
    }

    @Test
    void aNameAndEveryElementMayBothLeadOn() {
        assertThat(masked("{\"a\":{\"x\":1,\"y\":2},\"b\":{\"x\":3,\"y\":4}}", "/a/y", "/*/x"))
                .isEqualTo("{\"a\":{\"x\":\"•••\",\"y\":\"•••\"},\"b\":{\"x\":\"•••\",\"y\":4}}");
    }

    @Test
    void numbersThatAreNotMaskedStayAsTheyWereWritten() {
        String numbers = "1.0, -0, 1E400, 1e-400, 12345678901234567890123456789.10, 0.1000";
        assertThat(masked("{\"n\": [" + numbers + "], \"s\": 4111111111111111.00}", "/s"))
                .isEqualTo("{\"n\": [" + numbers + "], \"s\": \"•••\"}");
    }

    @Test
    void whatIsDeepOrLargeIsMaskedToo() {
        String deep = "[".repeat(60) + "\"secret\"" + "]".repeat(60);
        assertThat(masked("{\"a\":" + deep + "}", "/a")).isEqualTo("{\"a\":\"•••\"}");
        assertThat(masked("{\"a\":" + deep + ",\"b\":1}", "/b")).isEqualTo("{\"a\":" + deep + ",\"b\":\"•••\"}");
        String large = "\"" + "x".repeat(500_000) + "\\n\"";
        assertThat(masked("{\"a\":" + large + ",\"b\":" + large + ",\"c\":1}", "/a", "/c"))
                .isEqualTo("{\"a\":\"•••\",\"b\":" + large + ",\"c\":\"•••\"}");
    }

    @Test
    void whatCannotBeReadIsMaskedWhole() {
        Masks masks = Masks.of(List.of("/a"));
        for (String unreadable :
                List.of("", " ", "{", "{\"a\":1,\"a\":2}", "{} {}", "[".repeat(65) + "]".repeat(65), "9".repeat(101))) {
            Masked masked = Masker.mask(unreadable.getBytes(StandardCharsets.UTF_8), masks, JSON);
            assertThat(masked.payload()).as(unreadable).isEqualTo(Masked.Part.NOTHING);
            assertThat(masked.echoes().hiddenIn("a secret")).isEqualTo("•••");
        }
        assertThat(Masker.mask(new byte[] {'"', (byte) 0xC3, '"'}, masks, JSON).payload())
                .isEqualTo(Masked.Part.NOTHING);
    }

    /** Whatever the document and the masks are: each masked value is gone, and no other character has changed. */
    @Test
    void ofAnyDocumentOnlyTheMaskedValuesAreReplaced() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 5_000; i++) {
            RandomJson document = new RandomJson(random);
            MaskedJson.Result result = MaskedJson.of(document.text(), Masks.of(document.pointers()), JSON);
            String what = "seed " + seed + ", round " + i + ": " + document.pointers() + " of " + document.text();
            assertThat(result.text()).as(what).isEqualTo(document.expected());
            Echoes echoes = Echoes.of(result.values());
            for (String secret : document.secrets()) {
                assertThat(result.text()).as(what).doesNotContain(secret);
                assertThat(echoes.hiddenIn("no: " + secret + "!")).as(what).doesNotContain(secret);
            }
        }
    }
}
