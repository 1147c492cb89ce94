package dev.posthorn.server.subscriptions.definition;

import dev.posthorn.log.Filter;
import dev.posthorn.server.web.Parameters;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which events a subscription wants; what is left out or empty wants all.
 *
 * @param types patterns, of which one has to match; * stands for any characters
 * @param sources the same
 * @param aggregateTypes the same
 * @param headers headers that an event must have, with exactly these values
 */
public record FilterDocument(
        @Nullable List<String> types,
        @Nullable List<String> sources,
        @Nullable List<String> aggregateTypes,
        @Nullable Map<String, String> headers) {

    private static final int LONGEST = 255;

    /** Null if it wants all. */
    public static @Nullable FilterDocument of(Filter filter) {
        return filter.equals(Filter.ALL)
                ? null
                : new FilterDocument(
                        filter.types().isEmpty() ? null : filter.types(),
                        filter.sources().isEmpty() ? null : filter.sources(),
                        filter.aggregateTypes().isEmpty() ? null : filter.aggregateTypes(),
                        filter.headers().isEmpty() ? null : filter.headers());
    }

    /** What it says; a pattern that cannot be used is a problem that names it. */
    public Filter filter() {
        if (headers != null) {
            headers.keySet().forEach(name -> requireUsable("filter.headers", name));
        }
        return Filter.types(patterns("filter.types", types))
                .sources(patterns("filter.sources", sources))
                .aggregateTypes(patterns("filter.aggregateTypes", aggregateTypes))
                .headers(headers == null ? Map.of() : headers);
    }

    private static String[] patterns(String field, @Nullable List<String> patterns) {
        List<String> all = patterns == null ? List.of() : patterns;
        for (int i = 0; i < all.size(); i++) {
            requireUsable(field + "[" + i + "]", all.get(i));
        }
        return all.toArray(String[]::new);
    }

    private static void requireUsable(String field, String text) {
        if (text.isBlank() || text.length() > LONGEST) {
            throw Parameters.refused(
                    field, "has " + text.strip().length() + " characters; it must have 1 to " + LONGEST);
        }
    }
}
