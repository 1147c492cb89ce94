package dev.posthorn.benchmarks.subscriptions;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The subscriptions of a hub. Each wants a type of its own, one that all want, and one that it shares with its group of three;
 * those that are too few for a last group share none.
 */
record Population(int count, List<Integer> ports) {

    static final String ALL = "all";

    /** The most that the hub makes by one call. */
    private static final int AT_ONCE = 1_000;

    private static final int GROUP = 3;

    static String typeOf(int subscription) {
        return "t." + subscription;
    }

    static String typeOfGroup(int group) {
        return "mix." + group;
    }

    int groups() {
        return Math.max(1, count / GROUP);
    }

    int groupSize() {
        return Math.min(count, GROUP);
    }

    boolean isIn(int subscription, int group) {
        return subscription / GROUP == group;
    }

    /** The bodies of calls that make all of them. */
    List<byte[]> documents() {
        return IntStream.iterate(0, first -> first < count, first -> first + AT_ONCE)
                .mapToObj(first -> IntStream.range(first, Math.min(count, first + AT_ONCE))
                        .mapToObj(this::named)
                        .collect(Collectors.joining(",", "{\"subscriptions\":[", "]}"))
                        .getBytes(UTF_8))
                .toList();
    }

    private String named(int subscription) {
        String group = subscription / GROUP < groups() ? ",\"" + typeOfGroup(subscription / GROUP) + '"' : "";
        return "{\"name\":\"" + nameOf(subscription) + "\","
                + fields(subscription, '"' + typeOf(subscription) + "\",\"" + ALL + '"' + group) + '}';
    }

    static String nameOf(int subscription) {
        return "s-" + subscription;
    }

    /** One besides, which wants nothing that is ever published. */
    byte[] document(int extra) {
        return ('{' + fields(count + extra, "\"extra." + extra + '"') + '}').getBytes(UTF_8);
    }

    /** Everything that is not named has the hub's default. */
    private String fields(int subscription, String types) {
        return "\"filter\":{\"types\":[" + types + "]},\"sink\":{\"kind\":\"http\",\"url\":\"http://127.0.0.1:"
                + ports.get(subscription % ports.size()) + Received.PATH + subscription + "\"}";
    }
}
