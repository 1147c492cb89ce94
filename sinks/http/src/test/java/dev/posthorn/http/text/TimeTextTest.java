package dev.posthorn.http.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimeTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1970-01-01T00:00:00Z",
                "1969-12-31T23:59:59.999999999Z",
                "2024-02-29T23:59:59.000000001Z",
                "2026-11-18T00:00:00.100Z",
                "2026-11-18T14:00:00.000100Z",
                "9999-12-31T23:59:59.999999999Z",
                "+10000-01-01T00:00:00Z",
                "-0001-01-01T00:00:00Z"
            })
    void aTimeIsWrittenAsJavaWritesIt(String time) {
        assertThat(TimeText.of(Instant.parse(time))).isEqualTo(time);
    }

    @Test
    void soIsAnyOther() {
        Random random = new Random(1);
        int[] units = {1, 1_000, 1_000_000, 1_000_000_000};
        for (int i = 0; i < 100_000; i++) {
            int unit = units[i % units.length];
            Instant time = Instant.ofEpochSecond(
                    random.nextLong(-10_000_000_000L, 300_000_000_000L), random.nextLong(1_000_000_000 / unit) * unit);
            assertThat(TimeText.of(time)).isEqualTo(time.toString());
        }
    }
}
