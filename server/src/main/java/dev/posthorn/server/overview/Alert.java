package dev.posthorn.server.overview;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something that somebody should see to: the same rules as those of docs/alerts.yaml.
 *
 * @param name as docs/alerts.yaml has it
 * @param severity page, critical or warning
 * @param subscription which one it is about; left out, like the guard, if it is about none
 * @param since when this hub first saw it, or since when it is so if that is known
 * @param summary what is the matter
 * @param remedy what to do about it
 */
record Alert(
        String name,
        String severity,
        @Nullable String subscription,
        @Nullable String guard,
        Instant since,
        String summary,
        String remedy) {

    static Alert of(Rule rule, @Nullable String subscription, @Nullable String guard, Instant since, String summary) {
        return new Alert(
                rule.label(),
                rule.severity().name().toLowerCase(Locale.ROOT),
                subscription,
                guard,
                since,
                summary,
                rule.remedy());
    }
}
