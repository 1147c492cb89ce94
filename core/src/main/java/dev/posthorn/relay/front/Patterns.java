package dev.posthorn.relay.front;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The patterns for one field of an event. One without a star is found by the whole text, every other by what it begins with,
 * or, if that is nothing or more crowded, by what it ends with. What neither begins nor ends with anything is
 * found under the empty beginning, which is every text's.
 */
final class Patterns<T> {

    private final Map<String, Crowd<Way<T>>> whole = new HashMap<>();
    private final NavigableMap<String, Crowd<Way<T>>> beginnings = new TreeMap<>();
    private final NavigableMap<String, Crowd<Way<T>>> backwards = new TreeMap<>();

    /**
     * Ways on which each text looks that one of the patterns matches; not open yet.
     *
     * @param alone an event that matches is wanted, whatever else it says
     */
    List<Way<T>> ways(List<String> patterns, Interest<T> interest, boolean alone) {
        return patterns.stream()
                .distinct()
                .map(pattern -> way(pattern, interest, alone))
                .toList();
    }

    private Way<T> way(String pattern, Interest<T> interest, boolean alone) {
        int star = pattern.indexOf('*');
        if (star < 0) {
            return new Way<>(whole, pattern, interest, alone);
        }
        String beginning = pattern.substring(0, star);
        String ending = pattern.substring(pattern.lastIndexOf('*') + 1);
        boolean certain = alone && isAll(pattern.substring(star, pattern.length() - ending.length()));
        Way<T> byBeginning = new Way<>(beginnings, beginning, interest, certain && ending.isEmpty());
        if (ending.isEmpty()) {
            return byBeginning;
        }
        Way<T> byEnding = new Way<>(backwards, reversed(ending), interest, certain && beginning.isEmpty());
        return byEnding.traffic() < byBeginning.traffic() ? byEnding : byBeginning;
    }

    /** Whether the pattern matches every text. */
    static boolean isAll(String pattern) {
        return pattern.chars().allMatch(c -> c == '*');
    }

    void forEach(@Nullable String text, Consumer<Way<T>> each) {
        if (text == null) {
            return;
        }
        Crowd<Way<T>> same = whole.get(text);
        if (same != null) {
            same.forEach(each);
        }
        forEachBeginning(beginnings, text, each);
        if (!backwards.isEmpty()) {
            forEachBeginning(backwards, reversed(text), each);
        }
    }

    /**
     * The longest first. Every beginning of the text comes at or before it in the order. If the last that does is none, it
     * is smaller where the two part, and so is smaller than a beginning that goes further: those left to be found
     * are beginnings of what the two have in common.
     */
    private static <W> void forEachBeginning(NavigableMap<String, Crowd<W>> places, String text, Consumer<W> each) {
        String rest = text;
        Entry<String, Crowd<W>> last = places.floorEntry(rest);
        while (last != null) {
            String key = last.getKey();
            int common = common(key, rest);
            if (common == key.length()) {
                last.getValue().forEach(each);
                common--;
            }
            if (common < 0) {
                return;
            }
            rest = rest.substring(0, common);
            last = places.floorEntry(rest);
        }
    }

    private static int common(String one, String other) {
        int most = Math.min(one.length(), other.length());
        int at = 0;
        while (at < most && one.charAt(at) == other.charAt(at)) {
            at++;
        }
        return at;
    }

    /** By whole characters, of which a pattern holds no halves: an ending backwards begins the text backwards. */
    private static String reversed(String text) {
        return new StringBuilder(text).reverse().toString();
    }

    int places() {
        return whole.size() + beginnings.size() + backwards.size();
    }
}
