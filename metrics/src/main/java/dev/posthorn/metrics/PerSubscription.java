package dev.posthorn.metrics;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Of how many subscriptions there are series of their own. What all of them come to is told in any case.
 *
 * @param most how many; {@link Integer#MAX_VALUE}: all
 */
public record PerSubscription(int most) {

    public static final PerSubscription ALL = new PerSubscription(Integer.MAX_VALUE);

    public static final PerSubscription NONE = new PerSubscription(0);

    private static final Pattern BUSIEST = Pattern.compile("busiest\\s+(\\d{1,5})");
    private static final int GREATEST = 10_000;

    /** As people write it: {@code all}, {@code none} or {@code busiest 100}. */
    public static PerSubscription of(String text) {
        String plain = text.strip();
        if (plain.equals("all")) {
            return ALL;
        }
        if (plain.equals("none")) {
            return NONE;
        }
        Matcher busiest = BUSIEST.matcher(plain);
        int most = busiest.matches() ? Integer.parseInt(busiest.group(1)) : 0;
        if (most < 1 || most > GREATEST) {
            throw new PosthornException(
                    ErrorCode.INVALID_SETTING,
                    "is '" + text + "'; it must be all, none, or busiest and a number from 1 to " + GREATEST
                            + ", such as 'busiest 100'");
        }
        return new PerSubscription(most);
    }

    boolean isAll() {
        return most == Integer.MAX_VALUE;
    }
}
