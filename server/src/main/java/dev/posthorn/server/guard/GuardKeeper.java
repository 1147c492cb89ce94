package dev.posthorn.server.guard;

import dev.posthorn.error.PosthornException;
import dev.posthorn.server.documents.DocumentKind;
import dev.posthorn.server.documents.StoredDocument;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.secrets.LockedException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has this instance know the guards as they are stored. */
final class GuardKeeper implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(GuardKeeper.class);

    private final GuardStore store;
    private final GuardBlueprint blueprint;
    private volatile Map<String, Served> served = Map.of();

    GuardKeeper(GuardStore store, GuardBlueprint blueprint) {
        this.store = store;
        this.blueprint = blueprint;
    }

    /**
     * A revision of a guard.
     *
     * @param target null if there is trouble
     * @param trouble why nothing can be forwarded
     */
    record Served(
            long revision,
            @Nullable Target target,
            @Nullable String trouble) {}

    /** Reads all of them again. */
    synchronized void read() {
        Map<String, Served> before = served;
        Map<String, Served> next = new HashMap<>();
        for (StoredDocument row : store.table().all()) {
            next.put(row.name(), served(row, before.get(row.name())));
        }
        served = Map.copyOf(next);
        List<Target> kept = targets(next).toList();
        targets(before).filter(target -> !kept.contains(target)).forEach(Target::close);
    }

    private static Stream<Target> targets(Map<String, Served> all) {
        return all.values().stream().flatMap(each -> Stream.ofNullable(each.target()));
    }

    private Served served(StoredDocument row, @Nullable Served before) {
        if (before != null && before.revision() == row.revision() && before.trouble() == null) {
            return before;
        }
        Served now = built(row);
        if (now.trouble() != null && (before == null || !Objects.equals(now.trouble(), before.trouble()))) {
            log.warn("Guard {} forwards nothing: {}", row.name(), now.trouble());
        }
        return now;
    }

    private Served built(StoredDocument row) {
        try {
            return new Served(row.revision(), blueprint.target(row), null);
        } catch (LockedException e) {
            return new Served(row.revision(), null, "it is locked: " + DocumentKind.GUARD.reason(e));
        } catch (ProblemException e) {
            return new Served(
                    row.revision(), null, "it is invalid: " + e.problem().detail());
        } catch (PosthornException e) {
            return new Served(row.revision(), null, "it is invalid: " + e.getMessage());
        }
    }

    /** Null if there is no such guard, as far as this instance knows. */
    @Nullable
    Served served(String name) {
        return served.get(name);
    }

    /** Why this instance cannot forward to it, or could not if it has not read it yet; null if it can. */
    @Nullable
    String trouble(StoredDocument row) {
        Served here = served.get(row.name());
        return here != null && here.revision() == row.revision()
                ? here.trouble()
                : built(row).trouble();
    }

    @Override
    public synchronized void close() {
        targets(served).forEach(Target::close);
        served = Map.of();
    }
}
