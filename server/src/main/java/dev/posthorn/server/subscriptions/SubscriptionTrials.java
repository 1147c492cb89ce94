package dev.posthorn.server.subscriptions;

import dev.posthorn.audit.Actor;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.documents.DocumentAct;
import dev.posthorn.server.documents.DocumentReader;
import dev.posthorn.server.documents.NamedDocuments;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.secrets.LockedException;
import dev.posthorn.subscription.Subscription;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Tries subscriptions out, and writes down that it did. */
@Component
final class SubscriptionTrials {

    private static final Logger log = LoggerFactory.getLogger(SubscriptionTrials.class);

    private final NamedDocuments<SubscriptionRow> documents;
    private final SubscriptionViews views;
    private final SubscriptionStore store;
    private final DocumentReader reader;
    private final Blueprint blueprint;
    private final Trial trial;

    SubscriptionTrials(
            NamedDocuments<SubscriptionRow> documents,
            SubscriptionViews views,
            SubscriptionStore store,
            DocumentReader reader,
            Blueprint blueprint,
            Trial trial) {
        this.documents = documents;
        this.views = views;
        this.store = store;
        this.reader = reader;
        this.blueprint = blueprint;
        this.trial = trial;
    }

    /** It is written down before the sample is sent: what a receiver has got cannot be taken back. */
    TrialAnswer test(String name, byte @Nullable [] body, Caller caller, Actor by) {
        SubscriptionRow row = views.row(name, "its sink is known there alone: try it there");
        views.refuseDeleting(row);
        Sample sample = body == null || body.length == 0 ? Sample.DEFAULT : reader.read(body, Sample.class);
        Subscription fresh = fresh(row);
        Event event = trial.event(sample);
        store.audit(row, SubscriptionActs.test(name, event, reader.text(event.headers()), trial.shown(event)), by);
        TrialAnswer answer = trial.of(name, fresh.sink(), fresh.timeout(), event, caller);
        auditOutcome(row, SubscriptionActs.tested(name, event, answer), by);
        return answer;
    }

    /** The sample has been sent, so whoever sent it is told what came of it even if that cannot be written down. */
    private void auditOutcome(SubscriptionRow row, DocumentAct tested, Actor by) {
        try {
            store.audit(row, tested, by);
        } catch (PosthornException e) {
            log.warn("What came of a test of subscription {} could not be written down: {}", row.name(), tested, e);
        }
    }

    /** With a sink of its own, besides the one that is served. */
    private Subscription fresh(SubscriptionRow row) {
        try {
            return blueprint.subscription(row);
        } catch (LockedException e) {
            throw documents.conflict(row.name(), "is locked: " + e.reason());
        } catch (ProblemException e) {
            throw documents.conflict(row.name(), "is invalid: " + e.problem().detail());
        }
    }
}
