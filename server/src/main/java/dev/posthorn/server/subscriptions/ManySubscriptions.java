package dev.posthorn.server.subscriptions;

import dev.posthorn.audit.Actor;
import dev.posthorn.server.documents.DocumentReader;
import dev.posthorn.server.documents.NamedDocuments;
import dev.posthorn.server.documents.Preconditions;
import dev.posthorn.server.documents.SentDocuments;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.subscriptions.definition.Lookups;
import dev.posthorn.server.subscriptions.definition.SubscriptionDocument;
import dev.posthorn.server.web.Parameters;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes many subscriptions at once: all of them, or none. One that is there already as it is asked for is left alone, so
 * that a call can be repeated whose answer was lost; one that is there with another document is a conflict.
 */
@Component
final class ManySubscriptions {

    static final int MOST = 1_000;

    private static final int MOST_FAULTS = 100;

    private static final String FIELD = "subscriptions";

    private final NamedDocuments<SubscriptionRow> documents;
    private final DocumentReader reader;
    private final SentDocuments<SubscriptionDocument> sent;
    private final SubscriptionViews views;
    private final Drafting drafting;
    private final Lookups lookups;
    private final SubscriptionStore store;

    ManySubscriptions(
            NamedDocuments<SubscriptionRow> documents,
            DocumentReader reader,
            SubscriptionViews views,
            Drafting drafting,
            Lookups lookups,
            SubscriptionStore store) {
        this.documents = documents;
        this.reader = reader;
        this.sent = new SentDocuments<>(reader, SubscriptionDocument.class, SubscriptionAnswer.class);
        this.views = views;
        this.drafting = drafting;
        this.lookups = lookups;
        this.store = store;
    }

    /** What became of one. */
    enum Result {
        CREATED,
        UNCHANGED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** One of those that were asked for, as it is now. */
    record MadeSubscription(String name, Result result, long revision) {}

    /**
     * What became of all of them.
     *
     * @param subscriptions in the order in which they were asked for
     */
    record ManyAnswer(List<MadeSubscription> subscriptions) {

        boolean isAnyCreated() {
            return subscriptions.stream().anyMatch(each -> each.result() == Result.CREATED);
        }
    }

    /**
     * One that is asked for.
     *
     * @param item its place in the request, from 0
     */
    private record Asked(int item, String name, SentDocuments.Asked<SubscriptionDocument> document) {}

    /**
     * The same, beside what is there.
     *
     * @param unchanged the revision at which it is there already; null if it is to be made
     */
    private record Plan(
            Asked asked, SubscriptionDraft draft, @Nullable Long unchanged) {

        Lookups.Destination destination() {
            return new Lookups.Destination(draft.sink(), draft.subscription());
        }

        boolean isNew() {
            return unchanged == null;
        }

        MadeSubscription made(Map<String, Long> revisions) {
            return unchanged == null
                    ? new MadeSubscription(
                            asked.name(), Result.CREATED, Objects.requireNonNull(revisions.get(asked.name())))
                    : new MadeSubscription(asked.name(), Result.UNCHANGED, unchanged);
        }
    }

    /** When this returns they are registered: whatever is recorded from then on is delivered to them. */
    ManyAnswer make(byte @Nullable [] body, Actor by) {
        documents.requireReady();
        List<Asked> asked = asked(Objects.requireNonNullElse(body, new byte[0]));
        ManyAnswer answer = NamedDocuments.tried(
                () -> made(asked, by),
                () -> Problem.of(ProblemType.CONFLICT, "others make the same ones all the time; try again")
                        .asException());
        if (answer.isAnyCreated()) {
            documents.announce();
        }
        return answer;
    }

    private List<Asked> asked(byte[] body) {
        List<Asked> asked = new ArrayList<>();
        Map<String, Integer> items = new HashMap<>();
        Faults faults = new Faults();
        List<JsonNode> sentOnes = sentOnes(body);
        for (int i = 0; i < sentOnes.size(); i++) {
            int item = i;
            faults.in(item, () -> {
                Asked one = asked(item, sentOnes.get(item));
                Integer before = items.putIfAbsent(one.name(), item);
                if (before != null) {
                    throw Parameters.refused("name", "is that of " + place(before) + " too; leave one of them out");
                }
                asked.add(one);
            });
        }
        faults.refuse();
        return asked;
    }

    private List<JsonNode> sentOnes(byte[] body) {
        ObjectNode whole = reader.sentDocuments(body);
        whole.propertyNames().stream()
                .filter(each -> !each.equals(FIELD))
                .findFirst()
                .ifPresent(each -> {
                    throw Parameters.refused(each, "is unknown here; there is only " + FIELD);
                });
        JsonNode all = whole.path(FIELD);
        if (!all.isArray() || all.isEmpty()) {
            throw Parameters.refused(FIELD, "must be an array of subscriptions, each with its name; give at least one");
        }
        if (all.size() > MOST) {
            throw Parameters.refused(
                    FIELD, "has " + all.size() + " items; the limit is " + MOST + ". Call several times");
        }
        return all.valueStream().toList();
    }

    private Asked asked(int item, JsonNode sentOne) {
        if (!(sentOne instanceof ObjectNode document)) {
            throw Parameters.refused("", "must be an object");
        }
        reader.requireShort(document);
        JsonNode name = document.path("name");
        if (!name.isString()) {
            throw Parameters.refused("name", "is missing; give it");
        }
        NamedDocuments.requireName(name.stringValue());
        return new Asked(item, name.stringValue(), sent.whole(name.stringValue(), document, Preconditions.NONE));
    }

    /** Empty if one was made or changed by somebody else meanwhile. */
    private Optional<ManyAnswer> made(List<Asked> asked, Actor by) {
        List<Plan> plans = plans(asked);
        List<NewSubscriptions.Wanted> wanted = plans.stream()
                .filter(Plan::isNew)
                .map(each -> drafting.wanted(each.draft()))
                .toList();
        Optional<Map<String, Long>> revisions = wanted.isEmpty() ? Optional.of(Map.of()) : store.make(wanted, by);
        return revisions.map(made ->
                new ManyAnswer(plans.stream().map(each -> each.made(made)).toList()));
    }

    private List<Plan> plans(List<Asked> asked) {
        List<String> names = asked.stream().map(Asked::name).toList();
        Map<String, SubscriptionRow> there = documents.named(names);
        Set<String> theirs = views.theirs(names);
        List<Plan> plans = new ArrayList<>();
        Faults faults = new Faults();
        for (Asked each : asked) {
            faults.in(each.item(), () -> {
                if (theirs.contains(each.name())) {
                    throw SubscriptionViews.theirs(each.name(), "choose another name for one of the hub's");
                }
                plans.add(plan(each, there.get(each.name())));
            });
        }
        faults.refuse();
        refuseForbidden(plans.stream().filter(Plan::isNew).toList());
        return plans;
    }

    private Plan plan(Asked asked, @Nullable SubscriptionRow before) {
        asked.document().conditions().require(before == null ? null : before.revision());
        if (before == null) {
            return new Plan(
                    asked,
                    drafting.unresolved(asked.name(), asked.document().wanted().apply(null), null),
                    null);
        }
        views.refuseDeleting(before);
        SubscriptionDocument wanted = asked.document().wanted().apply(before.document());
        SubscriptionDraft draft = drafting.unresolved(asked.name(), wanted, before);
        if (!drafting.changed(draft, before).isEmpty()) {
            throw Problem.of(
                            ProblemType.CONFLICT,
                            "'" + asked.name() + "' is there already, with another document; PUT it by itself to"
                                    + " change it")
                    .asException();
        }
        return new Plan(asked, draft, before.revision());
    }

    private void refuseForbidden(List<Plan> plans) {
        Faults faults = new Faults();
        List<Optional<Violation>> refusals =
                lookups.refusals(plans.stream().map(Plan::destination).toList());
        for (int i = 0; i < plans.size(); i++) {
            int item = plans.get(i).asked().item();
            refusals.get(i).ifPresent(violation -> faults.add(item, ProblemType.INVALID_REQUEST, violation));
        }
        faults.refuse();
    }

    private static String place(int item) {
        return FIELD + "[" + item + "]";
    }

    /** What is wrong with which, until nobody would read on. What can never go is told before what may go later. */
    private static final class Faults {

        private final Map<ProblemType, List<Violation>> found = new EnumMap<>(ProblemType.class);

        void in(int item, Runnable work) {
            try {
                work.run();
            } catch (ProblemException e) {
                Problem problem = e.problem();
                if (problem.violations().isEmpty()) {
                    add(item, problem.type(), Violation.of("name", problem.detail()));
                }
                problem.violations().forEach(each -> add(item, problem.type(), each));
            }
        }

        void add(int item, ProblemType type, Violation violation) {
            List<Violation> same = found.computeIfAbsent(type, any -> new ArrayList<>());
            if (same.size() < MOST_FAULTS) {
                String field = place(item) + (violation.field().isEmpty() ? "" : "." + violation.field());
                same.add(new Violation(item, field, violation.rule()));
            }
        }

        void refuse() {
            found.entrySet().stream().findFirst().ifPresent(first -> {
                throw Problem.violated(first.getKey(), first.getValue()).asException();
            });
        }
    }
}
