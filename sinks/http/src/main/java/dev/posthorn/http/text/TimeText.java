package dev.posthorn.http.text;

import java.time.Instant;
import java.time.LocalDate;

/**
 * Writes a time as {@link Instant#toString} does. Every request has one, and a formatter that can write all that there is
 * took a fifth of the time of making a request.
 */
public final class TimeText {

    private static final int SECONDS_PER_DAY = 86_400;
    private static final Instant FIRST = Instant.EPOCH;
    private static final Instant END = Instant.parse("+10000-01-01T00:00:00Z");

    private TimeText() {}

    public static String of(Instant time) {
        if (time.isBefore(FIRST) || !time.isBefore(END)) {
            return time.toString();
        }
        LocalDate date = LocalDate.ofEpochDay(time.getEpochSecond() / SECONDS_PER_DAY);
        int second = (int) (time.getEpochSecond() % SECONDS_PER_DAY);
        StringBuilder text = new StringBuilder(30);
        digits(text, date.getYear(), 1000).append('-');
        digits(text, date.getMonthValue(), 10).append('-');
        digits(text, date.getDayOfMonth(), 10).append('T');
        digits(text, second / 3600, 10).append(':');
        digits(text, second / 60 % 60, 10).append(':');
        digits(text, second % 60, 10);
        fraction(text, time.getNano());
        return text.append('Z').toString();
    }

    /** Three, six or nine digits, and none if it is zero. */
    private static void fraction(StringBuilder text, int nanos) {
        if (nanos % 1_000 != 0) {
            digits(text.append('.'), nanos, 100_000_000);
        } else if (nanos % 1_000_000 != 0) {
            digits(text.append('.'), nanos / 1_000, 100_000);
        } else if (nanos != 0) {
            digits(text.append('.'), nanos / 1_000_000, 100);
        }
    }

    private static StringBuilder digits(StringBuilder text, int number, int first) {
        for (int place = first; place > 0; place /= 10) {
            text.append((char) ('0' + number / place % 10));
        }
        return text;
    }
}
