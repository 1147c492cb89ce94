package dev.posthorn.log;

import static java.util.stream.Collectors.joining;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which events a subscription wants. An empty list wants all; otherwise one of its patterns has to match, where
 * {@code *} stands for any number of characters.
 */
public record Filter(List<String> types, List<String> aggregateTypes, List<String> sources) {

    public static final Filter ALL = new Filter(List.of(), List.of(), List.of());

    public Filter {
        types = checked("types", types);
        aggregateTypes = checked("aggregateTypes", aggregateTypes);
        sources = checked("sources", sources);
    }

    public static Filter types(String... patterns) {
        return new Filter(List.of(patterns), List.of(), List.of());
    }

    public Filter aggregateTypes(String... patterns) {
        return new Filter(types, List.of(patterns), sources);
    }

    public Filter sources(String... patterns) {
        return new Filter(types, aggregateTypes, List.of(patterns));
    }

    /** What {@link #addValues} stored. */
    public static Filter ofLikePatterns(String[] types, String[] aggregateTypes, String[] sources) {
        return new Filter(patterns(types), patterns(aggregateTypes), patterns(sources));
    }

    /** The same as the condition in SQL, for whoever has the event already. */
    public boolean wants(Event event) {
        return matches(types, event.type())
                && matches(aggregateTypes, event.aggregateType())
                && matches(sources, event.source());
    }

    private static boolean matches(List<String> patterns, @Nullable String text) {
        return patterns.isEmpty() || (text != null && patterns.stream().anyMatch(p -> matches(p, text)));
    }

    private static boolean matches(String pattern, String text) {
        return Pattern.compile(
                        Stream.of(pattern.split("\\*", -1)).map(Pattern::quote).collect(joining(".*")), Pattern.DOTALL)
                .matcher(text)
                .matches();
    }

    private static List<String> checked(String field, List<String> patterns) {
        for (String pattern : patterns) {
            if (pattern.isBlank()) {
                throw new PosthornException(
                        ErrorCode.INVALID_SETTING,
                        "filter " + field + " holds an empty pattern; '*' matches everything");
            }
        }
        return List.copyOf(patterns);
    }

    /** The condition in SQL, with its values from {@link #addValues}. */
    String condition() {
        List<String> all = new ArrayList<>();
        if (!types.isEmpty()) {
            all.add("type LIKE ANY (:types::text[])");
        }
        if (!aggregateTypes.isEmpty()) {
            all.add("aggregate_type LIKE ANY (:aggregate_types::text[])");
        }
        if (!sources.isEmpty()) {
            all.add("source LIKE ANY (:sources::text[])");
        }
        return all.isEmpty() ? "true" : String.join(" AND ", all);
    }

    /** As LIKE patterns, in an order of their own, so that the same filter written in another order is the same. */
    public void addValues(Map<String, @Nullable Object> values) {
        values.put("types", likePatterns(types));
        values.put("aggregate_types", likePatterns(aggregateTypes));
        values.put("sources", likePatterns(sources));
    }

    private static String[] likePatterns(List<String> patterns) {
        return patterns.stream().map(Filter::likePattern).distinct().sorted().toArray(String[]::new);
    }

    private static String likePattern(String pattern) {
        return pattern.replace("\\", "\\\\")
                .replace("%", "\\%")
                .replace("_", "\\_")
                .replace("*", "%");
    }

    private static List<String> patterns(String[] likePatterns) {
        return Stream.of(likePatterns).map(Filter::pattern).toList();
    }

    /** No pattern has a star to be taken literally, so there is always a way back. */
    private static String pattern(String likePattern) {
        StringBuilder pattern = new StringBuilder(likePattern.length());
        boolean literally = false;
        for (int i = 0; i < likePattern.length(); i++) {
            char c = likePattern.charAt(i);
            if (c == '\\' && !literally) {
                literally = true;
            } else {
                pattern.append(c == '%' && !literally ? '*' : c);
                literally = false;
            }
        }
        return pattern.toString();
    }
}
