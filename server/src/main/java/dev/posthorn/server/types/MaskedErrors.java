package dev.posthorn.server.types;

import com.networknt.schema.Error;
import com.networknt.schema.path.NodePath;
import dev.posthorn.server.json.Texts;
import dev.posthorn.server.masking.Echoes;
import dev.posthorn.server.masking.Masks;
import dev.posthorn.server.problem.Violation;
import java.util.ArrayList;
import java.util.List;

/** Tells which rules of a JSON Schema some data breaks, without a word of what is masked in it. */
final class MaskedErrors {

    private final Masks masks;
    private final Echoes echoes;

    MaskedErrors(Masks masks, Echoes echoes) {
        this.masks = masks;
        this.echoes = echoes;
    }

    Violation violation(Error error) {
        List<String> path = path(error);
        int cover = masks.coverOf(path);
        return cover < 0 ? unmasked(error) : masked(error, cover);
    }

    private static List<String> path(Error error) {
        NodePath location = error.getInstanceLocation();
        List<String> path = new ArrayList<>();
        for (int i = 0; i < location.getNameCount(); i++) {
            path.add(String.valueOf(location.getElement(i)));
        }
        if (error.getProperty() != null) {
            path.add(error.getProperty());
        }
        return path;
    }

    /** Something around it, such as a choice between schemas, may still quote it. */
    private Violation unmasked(Error error) {
        String field = JsonSchemaCheck.violation("data", error).field();
        return Violation.of(echoes.hiddenIn(field), Texts.printable(echoes.hiddenIn(error.getMessage())));
    }

    /** The masked value is named, but nothing within it. */
    private static Violation masked(Error error, int cover) {
        NodePath location = error.getInstanceLocation();
        int steps = Math.min(cover, location.getNameCount());
        String field = JsonSchemaCheck.path("data", location, steps);
        return Violation.of(
                Texts.printable(cover > steps ? field + "." + error.getProperty() : field),
                "breaks the rule '" + Texts.printable(error.getKeyword())
                        + "' of its JSON Schema; its value is masked, so nothing of it is quoted");
    }
}
