package dev.posthorn.server.guard;

import dev.posthorn.http.Destinations;
import dev.posthorn.http.HttpSink;
import dev.posthorn.server.documents.DocumentContent;
import dev.posthorn.server.documents.DocumentSecrets;
import dev.posthorn.server.documents.SecretPlaces;
import dev.posthorn.server.documents.StoredDocument;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.subscriptions.sinks.HttpDocument;
import dev.posthorn.server.web.Parameters;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes documents into what is stored and into what is served. A guard's document is that of an HTTP sink without the word
 * sink: its fields break the same rules.
 */
final class GuardBlueprint {

    private final DocumentSecrets secrets;
    private final Destinations destinations;

    GuardBlueprint(DocumentSecrets secrets, Destinations destinations) {
        this.secrets = secrets;
        this.destinations = destinations;
    }

    /** Checks it by building the real thing. Masked secrets are the stored ones. */
    SecretPlaces.Parted draft(TargetDocument asked, @Nullable StoredDocument before) {
        return named(() -> {
            SecretPlaces.Parted parted = secrets.parted(asked, before);
            TargetDocument document = secrets.whole(parted, TargetDocument.class);
            document.checkedTimeout();
            document.checkedRepeatOn();
            requireAllowed(document.sink(destinations));
            return parted;
        });
    }

    private static void requireAllowed(HttpSink sink) {
        HttpDocument.refusal(sink, "sink.url").ifPresent(violation -> {
            throw Parameters.refused(violation.field(), violation.rule());
        });
    }

    /** What is wrong is told under the names that the caller wrote. */
    private static <T> T named(Supplier<T> work) {
        try {
            return work.get();
        } catch (ProblemException e) {
            Problem problem = e.problem();
            throw problem.violations().isEmpty()
                    ? e
                    : Problem.violated(
                                    problem.type(),
                                    problem.violations().stream()
                                            .map(GuardBlueprint::renamed)
                                            .toList())
                            .asException();
        }
    }

    private static Violation renamed(Violation violation) {
        return new Violation(violation.item(), violation.field().replaceFirst("^sink\\.?", ""), violation.rule());
    }

    /** What is to be stored of it. */
    DocumentContent content(String name, SecretPlaces.Parted draft) {
        return named(() -> secrets.content(name, draft));
    }

    /** The fields that are not as they are stored; empty if all are. */
    List<String> changed(SecretPlaces.Parted draft, StoredDocument before) {
        return secrets.changed(draft, before);
    }

    /** A new one each time: what could not be read, decrypted or built is told by what is thrown. */
    Target target(StoredDocument row) {
        return named(() -> {
            TargetDocument document = secrets.whole(row, TargetDocument.class);
            return new Target(
                    row.name(), document.sink(destinations), document.checkedTimeout(), document.checkedRepeatOn());
        });
    }

    /** As it is shown; null for what another version wrote and this one cannot read. */
    @Nullable
    TargetDocument shown(StoredDocument row) {
        return secrets.shown(row.document(), TargetDocument.class);
    }
}
