package dev.posthorn.server.stream;

import dev.posthorn.server.web.Parameters;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What one may watch. */
enum Topic {
    OVERVIEW,
    SUBSCRIPTIONS,
    DEAD_LETTERS,
    REPLAYS,
    EVENTS;

    /** As a caller writes them, with commas; left out, all but the events. */
    static Set<Topic> of(@Nullable String text) {
        if (text == null) {
            return EnumSet.complementOf(EnumSet.of(EVENTS));
        }
        Set<Topic> topics = EnumSet.noneOf(Topic.class);
        for (String each : text.split(",", -1)) {
            topics.add(one(each.strip()));
        }
        return topics;
    }

    private static Topic one(String text) {
        return Arrays.stream(values())
                .filter(each -> each.toString().equals(text))
                .findFirst()
                .orElseThrow(() -> Parameters.refused(
                        "topics",
                        "is unknown; give, with commas, some of "
                                + Arrays.stream(values()).map(Topic::toString).collect(Collectors.joining(", "))));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
