package dev.posthorn.relay.store;

import dev.posthorn.log.Snapshot;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What one statement saw of the subscriptions that were asked for or have changed since an earlier look.
 *
 * @param snapshot the statement's own: the next look is for what is not visible in it
 * @param subscriptions by id; empty of one that is not there any more
 */
public record Look(Snapshot snapshot, Map<Long, Optional<Sharing>> subscriptions) {

    public Look {
        subscriptions = new LinkedHashMap<>(subscriptions);
    }
}
