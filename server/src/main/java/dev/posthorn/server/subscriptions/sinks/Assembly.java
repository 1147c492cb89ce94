package dev.posthorn.server.subscriptions.sinks;

import dev.posthorn.error.PosthornException;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Adds settings to a builder one at a time and builds after each: the one after which that fails is at fault. */
public final class Assembly<B, T> {

    /** Whose setting it is stands in the field. */
    private static final Pattern SUBJECT = Pattern.compile("^(HTTP sink|Kafka sink|subscription '[^']*'|retry): ");

    private final B builder;
    private final Function<B, T> build;

    private Assembly(B builder, Function<B, T> build) {
        this.builder = builder;
        this.build = build;
    }

    /** Begins with a builder that can be built already. */
    public static <B, T> Assembly<B, T> of(String field, B builder, Function<B, T> build) {
        Assembly<B, T> assembly = new Assembly<>(builder, build);
        assembly.add(field, builder, (same, again) -> {});
        return assembly;
    }

    /** Adds the setting, if there is one. */
    public <V> Assembly<B, T> add(String field, @Nullable V value, BiConsumer<B, V> add) {
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
            throw refusal(field, rule(String.valueOf(e.getMessage())));
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

    public static ProblemException refusal(String field, String rule) {
        return Problem.violated(ProblemType.INVALID_REQUEST, Violation.of(field, rule))
                .asException();
    }

    /** The value of a field that has to be there. */
    public static <V> V required(String field, @Nullable V value) {
        if (value == null) {
            throw refusal(field, "is missing; give it");
        }
        return value;
    }
}
