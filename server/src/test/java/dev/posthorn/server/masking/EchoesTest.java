package dev.posthorn.server.masking;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EchoesTest {

    private static String hidden(String value, String text) {
        Values values = new Values();
        values.addText(value);
        return Echoes.of(values).hiddenIn(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Zoë & Ann/1",
                "zoë & ann/1",
                "Zoë   &\n Ann/1",
                "Zoë & Ann\\/1",
                "Zo\\u00eb & Ann/1",
                "Zo\\u00EB & Ann/1",
                "Zo%C3%AB+%26+Ann%2F1",
                "Zo%C3%AB%20%26%20Ann%2f1",
                "Zoë &amp; Ann/1",
            })
    void aValueIsFoundInWhateverFormItIsWritten(String echo) {
        assertThat(hidden("Zoë & Ann/1", "<" + echo + ">")).isEqualTo("<•••>");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "invalid: secret-wo…     | invalid: •••…",
                "invalid: secret-w       | invalid: •••",
                "secr... is wrong        | •••... is wrong",
                "sec\uFFFD               | •••\uFFFD",
                "secretary is not one    | secretary is not one",
                "se                      | se",
            })
    void aValueThatWasCutIsFoundByItsBeginning(String text, String expected) {
        assertThat(hidden("secret-word", text)).isEqualTo(expected);
    }

    @Test
    void aShortValueIsFoundOnlyByItself() {
        assertThat(hidden("123", "cvv 123, order 41235")).isEqualTo("cvv •••, order 41235");
        assertThat(hidden("123", "123")).isEqualTo("•••");
        Values values = new Values();
        values.addWord("true");
        assertThat(Echoes.of(values).hiddenIn("{\"ill\":true} is untrue")).isEqualTo("{\"ill\":•••} is untrue");
    }

    @Test
    void valuesThatOverlapLeaveNothing() {
        Values values = new Values();
        values.addText("abcd-efgh");
        values.addText("efgh-ijkl");
        values.addText("abcd");
        assertThat(Echoes.of(values).hiddenIn("x abcd-efgh-ijkl y abcd z")).isEqualTo("x ••• y ••• z");
    }

    @Test
    void aNumberIsFoundAsOthersWriteIt() {
        Values values = new Values();
        values.addNumber("1.50E5");
        assertThat(Echoes.of(values).hiddenIn("150000, 150000.0, 1.50E5, 1.50e+5"))
                .isEqualTo("•••, •••, •••, •••");
        values.addNumber("1e999999999");
        assertThat(Echoes.of(values).hiddenIn("1E999999999")).isEqualTo("•••");
    }

    @Test
    void namesOfFieldsAreNoValuesButNamesThatAreDataAre() {
        Values values = new Values();
        values.addName("email");
        values.addName("4111-1111");
        assertThat(Echoes.of(values).hiddenIn("email of 4111-1111")).isEqualTo("email of •••");
    }

    @Test
    @Timeout(120)
    void manyAndLongValuesAreFoundSoonOrHideEverything() {
        Values values = new Values();
        for (int i = 0; i < Values.MOST; i++) {
            values.addText("aaaaaaaaaaaaaaa" + i);
        }
        values.addText("a".repeat(100));
        Duration begun = timeOfTheProcessor();
        Echoes.of(values).hiddenIn("a".repeat(4_096));
        assertThat(timeOfTheProcessor().minus(begun)).isLessThan(Duration.ofSeconds(10));
        values.addText("one more");
        values.addText("and another");
        assertThat(Echoes.of(values).hiddenIn("harmless")).isEqualTo("•••");
        assertThat(Echoes.of(values).hiddenIn("")).isEmpty();
    }

    /** Took 54 s of a processor for one GET: every value was compared at every place, character by character. */
    @Test
    @Timeout(120)
    void timeDoesNotGrowWithTheProductOfValuesAndText() {
        Values values = new Values();
        for (int i = 0; i < 95; i++) {
            values.addText("a".repeat(900 + i) + "b");
        }
        assertThat(values.areTooMany()).isFalse();
        Duration begun = timeOfTheProcessor();
        assertThat(Echoes.of(values).hiddenIn("a".repeat(500_000) + "c")).hasSize(500_001);
        assertThat(timeOfTheProcessor().minus(begun)).isLessThan(Duration.ofSeconds(2));
    }

    /** What this thread has had of it: on a busy machine that is a part of the time that passes. */
    private static Duration timeOfTheProcessor() {
        return Duration.ofNanos(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
    }

    @Test
    void valuesWithTooManyCharactersHideEverything() {
        Values values = new Values();
        for (int i = 0; i < 400; i++) {
            values.addText("a".repeat(900) + i);
        }
        assertThat(Echoes.of(values).hiddenIn("harmless")).isEqualTo("•••");
    }

    /** Whether the rest follows is not looked at, so that it can be as long as it likes. */
    @Test
    void aLongValueIsKnownByItsBeginningAndHidesWhatFollows() {
        String value = "Ä/".repeat(2_000);
        assertThat(hidden(value, "no: " + value + " is wrong")).isEqualTo("no: •••");
        assertThat(hidden(value, "no: " + "ä\\/".repeat(2_000))).isEqualTo("no: •••");
        assertThat(hidden(value, "no: " + value.substring(0, 99) + "... is wrong"))
                .isEqualTo("no: •••... is wrong");
        assertThat(hidden(value, "no: " + value.substring(0, 99) + " is wrong")).contains("is wrong", "Ä/");
        assertThat(hidden("x".repeat(999) + "😀😀", "x".repeat(999) + "%F0%9F%98%80 is wrong"))
                .isEqualTo("•••");
    }

    /** The search itself is held to what is obviously right. */
    @Test
    void whatIsHiddenIsWhatComparingEverythingWouldHide() {
        Random random = new Random(17);
        for (int round = 0; round < 3_000; round++) {
            Values values = new Values();
            List<String> texts = new ArrayList<>();
            for (int i = random.nextInt(5); i >= 0; i--) {
                texts.add(letters(random, 4 + random.nextInt(4)));
                values.addText(texts.get(texts.size() - 1));
            }
            String text = letters(random, random.nextInt(30)) + "|";
            assertThat(Echoes.of(values).hiddenIn(text))
                    .as("%s in %s", texts, text)
                    .isEqualTo(comparingEverything(texts, text));
        }
    }

    private static String letters(Random random, int length) {
        return random.ints(length, 'a', 'c').mapToObj(Character::toString).collect(Collectors.joining());
    }

    private static String comparingEverything(List<String> values, String text) {
        StringBuilder shown = new StringBuilder();
        int hiddenTo = 0;
        for (int i = 0; i < text.length(); i++) {
            int at = i;
            int end = values.stream()
                    .filter(value -> text.startsWith(value, at))
                    .mapToInt(value -> at + value.length())
                    .max()
                    .orElse(at);
            shown.append(end > i && i >= hiddenTo ? "•••" : "");
            hiddenTo = Math.max(hiddenTo, end);
            shown.append(i >= hiddenTo ? text.substring(i, i + 1) : "");
        }
        return shown.toString();
    }
}
