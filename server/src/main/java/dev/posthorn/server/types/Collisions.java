package dev.posthorn.server.types;

import java.util.Arrays;
import tools.jackson.databind.JsonNode;

/**
 * Finds arrays that were made to be slow. {@code uniqueItems} puts the items into a hash table, which compares each to all
 * others of the same hash: for numbers such hashes are easily made up, and an array of some ten thousand takes minutes.
 */
final class Collisions {

    /** So many can be compared to each other in no time. */
    private static final int MOST = 1_000;

    private Collisions() {}

    /** Whether an array in this data has more different items of one hash than can be compared to each other. */
    static boolean areMany(JsonNode data) {
        if (data.isArray() && areMany(data.valueStream().toArray(JsonNode[]::new))) {
            return true;
        }
        for (JsonNode inner : data) {
            if (inner.isContainer() && areMany(inner)) {
                return true;
            }
        }
        return false;
    }

    private static boolean areMany(JsonNode[] items) {
        if (items.length <= MOST) {
            return false;
        }
        int[] hashes =
                Arrays.stream(items).mapToInt(JsonNode::hashCode).sorted().toArray();
        int start = 0;
        for (int i = 1; i <= hashes.length; i++) {
            if (i == hashes.length || hashes[i] != hashes[start]) {
                if (i - start > MOST && areMany(items, hashes[start])) {
                    return true;
                }
                start = i;
            }
        }
        return false;
    }

    /** Items that are the same are no trouble: the second of them ends the comparison. */
    private static boolean areMany(JsonNode[] items, int hash) {
        JsonNode[] alike =
                Arrays.stream(items).filter(item -> item.hashCode() == hash).toArray(JsonNode[]::new);
        return Arrays.stream(alike).filter(item -> !item.equals(alike[0])).count() >= MOST;
    }
}
