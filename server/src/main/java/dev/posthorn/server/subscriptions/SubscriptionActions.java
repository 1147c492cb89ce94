package dev.posthorn.server.subscriptions;

import dev.posthorn.audit.Actor;
import dev.posthorn.server.documents.DocumentReader;
import dev.posthorn.server.documents.NamedDocuments;
import dev.posthorn.server.documents.Preconditions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Pauses, resumes and deletes subscriptions. */
@Component
final class SubscriptionActions {

    private static final Duration REMOVAL = Duration.ofSeconds(5);
    private static final Duration QUIET = Duration.ofSeconds(3);
    private static final Duration LOOK = Duration.ofMillis(20);

    private final NamedDocuments<SubscriptionRow> documents;
    private final DocumentReader reader;
    private final SubscriptionViews views;
    private final SubscriptionStore store;
    private final ApplicationSubscriptions applications;
    private final RemovalKeeper removal;

    SubscriptionActions(
            NamedDocuments<SubscriptionRow> documents,
            DocumentReader reader,
            SubscriptionViews views,
            SubscriptionStore store,
            ApplicationSubscriptions applications,
            RemovalKeeper removal) {
        this.documents = documents;
        this.reader = reader;
        this.views = views;
        this.store = store;
        this.applications = applications;
        this.removal = removal;
    }

    /** Deletes it; false if some instance still has something of it under way, and it goes when that is done. */
    boolean delete(String name, Preconditions conditions, Actor by) {
        documents.changeExisting(name, Preconditions.NONE, () -> toDelete(name), row -> {
            if (row.deleting()) {
                return Optional.of(row);
            }
            conditions.require(row.revision());
            return store.markDeleted(row, by) ? Optional.of(row) : Optional.empty();
        });
        documents.announce();
        return removal.remove(name, REMOVAL);
    }

    private SubscriptionRow toDelete(String name) {
        return views.row(name, "take it out of the application, and delete it there by Subscriptions.delete");
    }

    /** Answers when no instance sends any more, or says that it is being paused if that takes longer. */
    SubscriptionAnswer pause(String name, byte @Nullable [] body, Actor by) {
        SubscriptionAnswer answer = setPaused(name, true, reader.reason(body), by);
        long giveUpAt = System.nanoTime() + QUIET.toNanos();
        while (answer.state() == State.PAUSING
                && System.nanoTime() - giveUpAt < 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(LOOK.toNanos());
            answer = views.get(name);
        }
        return answer;
    }

    SubscriptionAnswer resume(String name, byte @Nullable [] body, Actor by) {
        return setPaused(name, false, reader.reason(body), by);
    }

    private SubscriptionAnswer setPaused(String name, boolean paused, @Nullable String reason, Actor by) {
        SubscriptionRow row = documents.find(name).orElse(null);
        if (row != null) {
            setPaused(row, paused, reason, by);
        } else if (applications.find(name).isPresent()) {
            applications.setPaused(name, paused, reason, by);
        }
        return views.get(name);
    }

    private void setPaused(SubscriptionRow row, boolean paused, @Nullable String reason, Actor by) {
        views.refuseDeleting(row);
        if (!store.setPaused(row, paused, reason, by)) {
            throw documents.conflict(row.name(), "is not registered yet; try again in a moment");
        }
    }
}
