package dev.posthorn.server.metrics;

import java.util.Arrays;
import java.util.OptionalDouble;

/** What Prometheus reads. */
record Scrape(String text) {

    /** The value of a series, such as {@code posthorn_pending{subscription="billing"}}; empty if there is none. */
    OptionalDouble value(String series) {
        return Arrays.stream(text.split("\n"))
                .filter(line -> line.startsWith(series + " "))
                .map(line -> line.substring(series.length() + 1))
                .mapToDouble(Double::parseDouble)
                .findFirst();
    }

    double of(String name) {
        return of(name, "billing");
    }

    double of(String name, String subscription) {
        return value(name + "{subscription=\"" + subscription + "\"}").orElse(Double.NaN);
    }

    /** Whether it has a metric of that name, with whatever labels. */
    boolean has(String name) {
        return Arrays.stream(text.split("\n"))
                .anyMatch(line -> line.startsWith(name + " ") || line.startsWith(name + "{"));
    }
}
