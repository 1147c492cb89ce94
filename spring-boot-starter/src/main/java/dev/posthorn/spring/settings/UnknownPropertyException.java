package dev.posthorn.spring.settings;

import java.io.Serial;
import java.util.List;
import java.util.stream.Collectors;

/** Something is set that does not exist; told by {@link UnknownPropertyAnalyzer}. */
final class UnknownPropertyException extends IllegalStateException {

    @Serial
    private static final long serialVersionUID = 1L;

    UnknownPropertyException(List<UnknownProperty> unknown) {
        super(unknown.stream()
                .map(each -> "\n    " + each)
                .collect(Collectors.joining("", "Posthorn has no such property:\n", "")));
    }
}
