package dev.posthorn.server.masking;

import java.util.Arrays;
import java.util.Set;

/**
 * Finds many texts in one, in a time that grows with the one alone (Aho and Corasick): after each character it knows the
 * longest beginning of a needle that ends there. Immutable.
 *
 * <p>The needles are sorted and their tree is laid out level by level, so that the children of a node stand side by side:
 * a few numbers for each character of a needle, whatever alphabet an attacker writes in.
 */
final class Needles {

    private static final int ROOT = 0;

    private final char[] labels;
    /** Where the children of each node begin; they end where those of the next one begin. */
    private final int[] children;
    /** The node of the longest other beginning that ends in the same characters. */
    private final int[] shorter;

    private final int[] depths;
    /** How long the longest needle is that ends there, or 0. */
    private final int[] lengths;

    Needles(Set<String> needles) {
        String[] sorted = needles.stream().sorted().toArray(String[]::new);
        int most = 1 + Arrays.stream(sorted).mapToInt(String::length).sum();
        labels = new char[most];
        children = new int[most + 1];
        shorter = new int[most];
        depths = new int[most];
        lengths = new int[most];
        link(lay(sorted, new int[most], new int[most]));
    }

    /** How many nodes there are. The needles from first to last are those that begin as the node does. */
    private int lay(String[] sorted, int[] first, int[] last) {
        int nodes = 1;
        last[ROOT] = sorted.length;
        for (int node = ROOT; node < nodes; node++) {
            children[node] = nodes;
            int depth = depths[node];
            int from = first[node];
            if (from < last[node] && sorted[from].length() == depth) {
                lengths[node] = depth;
                from++;
            }
            while (from < last[node]) {
                char label = sorted[from].charAt(depth);
                labels[nodes] = label;
                depths[nodes] = depth + 1;
                first[nodes] = from;
                while (from < last[node] && sorted[from].charAt(depth) == label) {
                    from++;
                }
                last[nodes++] = from;
            }
        }
        children[nodes] = nodes;
        return nodes;
    }

    /** Level by level, so that what is shorter was linked before. */
    private void link(int nodes) {
        for (int node = ROOT; node < nodes; node++) {
            for (int child = children[node]; child < children[node + 1]; child++) {
                shorter[child] = node == ROOT ? ROOT : next(shorter[node], labels[child]);
                lengths[child] = Math.max(lengths[child], lengths[shorter[child]]);
            }
        }
    }

    /** Where to begin. */
    int start() {
        return ROOT;
    }

    /** Where one more character leads. */
    int next(int node, char c) {
        int at = node;
        int child = child(at, c);
        while (child < 0 && at != ROOT) {
            at = shorter[at];
            child = child(at, c);
        }
        return Math.max(child, ROOT);
    }

    private int child(int node, char c) {
        return Arrays.binarySearch(labels, children[node], children[node + 1], c);
    }

    /** The length of the longest needle that ends there; 0 if none does. */
    int found(int node) {
        return lengths[node];
    }

    /** The length of the longest beginning of a needle that ends there. */
    int begun(int node) {
        return depths[node];
    }
}
