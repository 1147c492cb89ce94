package dev.posthorn.server.subscriptions.sinks;

import dev.posthorn.error.PosthornException;
import dev.posthorn.server.documents.RequiredFields;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.web.FaultFinder;
import dev.posthorn.server.web.Parameters;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Adds settings to a builder one at a time and builds after each: the one after which that fails is at fault. */
public final class CheckedBuilder<B, T> {

    /** Whose setting it is stands in the field. */
    private static final Pattern SUBJECT = Pattern.compile("^(HTTP sink|Kafka sink|subscription '[^']*'|retry): ");

    private final B builder;
    private final Function<B, T> build;

    private CheckedBuilder(B builder, Function<B, T> build) {
        this.builder = builder;
        this.build = build;
    }

    /** Begins with a builder that can be built already. */
    public static <B, T> CheckedBuilder<B, T> of(String field, B builder, Function<B, T> build) {
        CheckedBuilder<B, T> checked = new CheckedBuilder<>(builder, build);
        checked.add(field, builder, (same, again) -> {});
        return checked;
    }

    /** Adds the setting, if there is one. */
    public <V> CheckedBuilder<B, T> add(String field, @Nullable V value, BiConsumer<B, V> add) {
        if (value != null) {
            blaming(field, () -> {
                add.accept(builder, value);
                return build.apply(builder);
            });
        }
        return this;
    }

    public T build() {
        return build.apply(builder);
    }

    /** What does not go is the fault of this field. */
    public static <T> T blaming(String field, Supplier<T> work) {
        try {
            return work.get();
        } catch (PosthornException e) {
            throw Parameters.refused(field, rule(String.valueOf(e.getMessage())));
        }
    }

    /** The settings of the library, under their names here. */
    private static String rule(String message) {
        return SUBJECT.matcher(message)
                .replaceFirst("")
                .replace("allow this one with Destinations.allowLoopback()", "set posthorn.destinations.allow-loopback")
                .replaceFirst(
                        "allow this one with Destinations\\.allowNetwork\\(\"([^\"]*)\"\\)",
                        "add $1 to posthorn.destinations.allow-networks")
                .replace("Destinations.onlyPorts", "posthorn.destinations.only-ports");
    }

    /** The name of a field that has to be there, if it is not. */
    public static Stream<String> missing(String field, @Nullable Object value) {
        return value == null ? Stream.of(field) : Stream.of();
    }

    /** The document, if all fields are there that have to be. */
    public static <D extends RequiredFields> D whole(D document) {
        List<Violation> missing = document.missing().map(FaultFinder::missing).toList();
        if (!missing.isEmpty()) {
            throw Problem.violated(ProblemType.INVALID_REQUEST, missing).asException();
        }
        return document;
    }
}
