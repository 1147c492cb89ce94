package dev.posthorn.relay;

import dev.posthorn.subscription.Subscription;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a process is to serve, and what of it has changed since its keeper followed. From any thread. */
public final class Wishes {

    private final Map<String, Subscription> wanted = new LinkedHashMap<>();
    private final Set<String> changed = new LinkedHashSet<>();

    Wishes(Collection<Subscription> all) {
        replace(all);
    }

    /** These from now on, and no others. */
    public synchronized void replace(Collection<Subscription> all) {
        changed.addAll(wanted.keySet());
        wanted.clear();
        put(all);
    }

    /** Of these names no others than these from now on; what has another name stays as it is. */
    synchronized void replace(Collection<String> names, Collection<Subscription> by) {
        changed.addAll(names);
        names.forEach(wanted::remove);
        put(by);
    }

    private void put(Collection<Subscription> all) {
        for (Subscription each : all) {
            wanted.put(each.name(), each);
            changed.add(each.name());
        }
    }

    /** The one of that name; null if there is to be none. */
    synchronized @Nullable Subscription of(String name) {
        return wanted.get(name);
    }

    synchronized List<Subscription> all() {
        return List.copyOf(wanted.values());
    }

    synchronized boolean areFollowed() {
        return changed.isEmpty();
    }

    /** Which have changed since this was asked last. */
    synchronized List<String> takeChanged() {
        List<String> taken = List.copyOf(changed);
        changed.clear();
        return taken;
    }
}
