package dev.posthorn.server.documents;

import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.Parameters;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What people do with documents, the same for every kind: they read them, list them by name, and change what they have
 * seen and nothing else.
 */
public final class NamedDocuments<R extends NamedDocument> {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
    private static final int ATTEMPTS = 20;
    private static final Duration SOON = Duration.ofSeconds(1);

    private final Database database;
    private final Changes changes;
    private final DocumentTable<R> table;

    public NamedDocuments(Database database, Changes changes, DocumentTable<R> table) {
        this.database = database;
        this.changes = changes;
        this.table = table;
    }

    /** What a PUT or PATCH came to. */
    public record Put<A>(A answer, boolean created) {}

    public boolean isReady() {
        return database.isReady();
    }

    /** Refuses everything while the database is away. */
    public void requireReady() {
        database.requireReady();
    }

    /** The one of that name, or the problem that there is none. */
    public R get(String name) {
        return find(name).orElseThrow(() -> notFound(name));
    }

    public Optional<R> find(String name) {
        database.requireReady();
        return table.find(name);
    }

    /** What is there under a name by which one may be put; null if nothing is. */
    public @Nullable R former(String name) {
        database.requireReady();
        requireName(name);
        return table.find(name).orElse(null);
    }

    /** Refuses a name under which nothing may be put. */
    public static void requireName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw Parameters.refused(
                    "name", "must be letters, digits, '.', '_' and '-', at most 100, the first a letter or a digit");
        }
    }

    /** Those that are there, by their names. */
    public Map<String, R> named(Collection<String> names) {
        database.requireReady();
        return table.named(names).stream().collect(Collectors.toMap(R::name, Function.identity()));
    }

    /** By name, as they are answered. */
    public <A> Page<A> list(String limit, @Nullable String after, Function<R, A> answer) {
        return Page.byName(limit, after, this::page, R::name).map(answer);
    }

    /** The next of them by name. */
    public List<R> page(String after, int most) {
        database.requireReady();
        return table.page(after, most);
    }

    /**
     * Changes it if it is as the caller expects. Tried again if somebody else changes it between the look and the change.
     *
     * @param look what is there; null if nothing is
     * @param change what comes of it; empty if it was changed since the look
     */
    public <T> T change(
            String name,
            Preconditions conditions,
            Supplier<? extends @Nullable R> look,
            Function<@Nullable R, Optional<T>> change) {
        return tried(
                () -> {
                    R before = look.get();
                    conditions.require(before == null ? null : before.revision());
                    return change.apply(before);
                },
                () -> conflict(name, "is changed by others all the time; try again"));
    }

    /** Looks and changes until nobody comes between. */
    public static <T> T tried(Supplier<Optional<T>> change, Supplier<ProblemException> givenUp) {
        for (int i = 0; i < ATTEMPTS; i++) {
            Optional<T> changed = change.get();
            if (changed.isPresent()) {
                return changed.get();
            }
        }
        throw givenUp.get();
    }

    /** The same for one that has to be there. */
    public <T> T changeExisting(
            String name, Preconditions conditions, Supplier<R> look, Function<R, Optional<T>> change) {
        return change(name, conditions, look, before -> change.apply(Objects.requireNonNull(before)));
    }

    /** Has this instance see a change at once; the others look a few times a second. */
    public void announce() {
        changes.look();
    }

    /** That it cannot be done now, but may be soon. */
    public ProblemException conflict(String name, String detail) {
        return new Problem(ProblemType.CONFLICT, table.kind().title() + " '" + name + "' " + detail, List.of(), SOON)
                .asException();
    }

    public ProblemException notFound(String name) {
        return table.kind().notFound(name);
    }
}
