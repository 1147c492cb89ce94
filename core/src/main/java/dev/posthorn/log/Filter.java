package dev.posthorn.log;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.event.FieldRules;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which events a subscription wants. An empty list wants all; otherwise one of its patterns has to match, where
 * {@code *} stands for any number of characters.
 *
 * @param headers what an event must carry, every one of them exactly so, upper and lower case as given; none wants all
 */
public record Filter(
        List<String> types, List<String> aggregateTypes, List<String> sources, Map<String, String> headers) {

    public static final Filter ALL = new Filter(List.of(), List.of(), List.of(), Map.of());

    /** No event at all: no type holds a space. */
    public static final Filter NONE = types("(no event)");

    public Filter {
        types = checked("types", types);
        aggregateTypes = checked("aggregateTypes", aggregateTypes);
        sources = checked("sources", sources);
        headers = checked(headers);
    }

    public static Filter types(String... patterns) {
        return new Filter(List.of(patterns), List.of(), List.of(), Map.of());
    }

    public Filter aggregateTypes(String... patterns) {
        return new Filter(types, List.of(patterns), sources, headers);
    }

    public Filter sources(String... patterns) {
        return new Filter(types, aggregateTypes, List.of(patterns), headers);
    }

    /** These headers and no others. */
    public Filter headers(Map<String, String> wanted) {
        return new Filter(types, aggregateTypes, sources, wanted);
    }

    /** This header as well. */
    public Filter header(String name, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(checkedName(name), value);
        return headers(more);
    }

    /** What {@link #addValues} stored. */
    public static Filter ofLikePatterns(
            String[] types, String[] aggregateTypes, String[] sources, Map<String, String> headers) {
        return new Filter(patterns(types), patterns(aggregateTypes), patterns(sources), headers);
    }

    /** The same as the condition in SQL, for whoever has the event already. */
    public boolean wants(Event event) {
        return matches(types, event.type())
                && matches(aggregateTypes, event.aggregateType())
                && matches(sources, event.source())
                && event.headers().entrySet().containsAll(headers.entrySet());
    }

    /** Those of these types of which it may want events, whatever else they say. A type that it names is only looked up. */
    public Set<String> typesAmong(Set<String> some) {
        if (types.isEmpty()) {
            return some;
        }
        Set<String> among = new HashSet<>();
        for (String pattern : types) {
            if (pattern.indexOf('*') >= 0) {
                some.stream().filter(type -> matches(pattern, type)).forEach(among::add);
            } else if (some.contains(pattern)) {
                among.add(pattern);
            }
        }
        return among;
    }

    private static boolean matches(List<String> patterns, @Nullable String text) {
        return patterns.isEmpty() || (text != null && matchesAny(patterns, text));
    }

    private static boolean matchesAny(List<String> patterns, String text) {
        for (String pattern : patterns) {
            if (matches(pattern, text)) {
                return true;
            }
        }
        return false;
    }

    /** The text begins and ends like the pattern, and has what stands between two stars in between, in order. */
    private static boolean matches(String pattern, String text) {
        int star = pattern.indexOf('*');
        if (star < 0) {
            return pattern.equals(text);
        }
        int last = pattern.lastIndexOf('*');
        int end = text.length() - (pattern.length() - last - 1);
        int at = text.startsWith(pattern.substring(0, star)) ? star : -1;
        while (at >= 0 && star < last) {
            int next = pattern.indexOf('*', star + 1);
            String part = pattern.substring(star + 1, next);
            // The first place leaves the most room for the rest.
            int found = text.indexOf(part, at);
            at = found < 0 ? -1 : found + part.length();
            star = next;
        }
        return at >= 0 && at <= end && text.endsWith(pattern.substring(last + 1));
    }

    private static List<String> checked(String field, List<String> patterns) {
        for (String pattern : patterns) {
            if (pattern.isBlank()) {
                throw invalid(field + " holds an empty pattern; '*' matches everything");
            }
            if (!FieldRules.isStorable(pattern)) {
                throw invalid(
                        field + " holds a pattern with a control character or half a surrogate pair, which no event"
                                + " can match; take it out");
            }
        }
        return List.copyOf(patterns);
    }

    /** Sorted, so that the same headers are stored and shown in the same order. */
    private static Map<String, String> checked(Map<String, String> headers) {
        Map<String, String> sorted = new TreeMap<>();
        headers.forEach((name, value) ->
                sorted.put(checkedName(name), checkedText("the value of '" + checkedName(name) + "'", value)));
        return Collections.unmodifiableMap(sorted);
    }

    private static String checkedName(@Nullable String name) {
        String checked = checkedText("a name", name);
        if (checked.isBlank()) {
            throw invalid("headers holds an empty name; leave it out");
        }
        return checked;
    }

    private static String checkedText(String what, @Nullable String text) {
        if (text == null) {
            throw invalid("headers: " + what + " is null; say what an event must carry, or leave the header out");
        }
        if (!FieldRules.isStorable(text)) {
            throw invalid("headers: " + what + " holds a control character or half a surrogate pair, which no event's"
                    + " header can hold; take it out");
        }
        return text;
    }

    private static PosthornException invalid(String message) {
        return new PosthornException(ErrorCode.INVALID_SETTING, "filter " + message);
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
        if (!headers.isEmpty()) {
            all.add("headers @> :headers::jsonb");
        }
        return all.isEmpty() ? "true" : String.join(" AND ", all);
    }

    /** Patterns as LIKE patterns, all in an order of their own: the same filter written in another order is the same. */
    public void addValues(Map<String, @Nullable Object> values) {
        values.put("types", likePatterns(types));
        values.put("aggregate_types", likePatterns(aggregateTypes));
        values.put("sources", likePatterns(sources));
        values.put("headers", FlatJson.object(headers));
    }

    /** As it comes back from where it was stored. */
    public Filter asStored() {
        return ofLikePatterns(likePatterns(types), likePatterns(aggregateTypes), likePatterns(sources), headers);
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
