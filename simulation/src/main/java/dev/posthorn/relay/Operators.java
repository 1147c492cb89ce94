package dev.posthorn.relay;

import dev.posthorn.relay.Tables.EventRow;
import dev.posthorn.relay.Tables.LetterRow;
import dev.posthorn.relay.Tables.SubscriptionRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** People who pause and resume, and ask lanes to do things about events. */
final class Operators {

    private static final int MOST_REPLAYS = 3;

    private final World world;
    private final ModelDatabase database;

    Operators(World world, ModelDatabase database) {
        this.world = world;
        this.database = database;
    }

    private @Nullable SubscriptionRow any() {
        List<SubscriptionRow> all = database.subscriptions;
        return all.isEmpty() ? null : all.get(world.below(all.size()));
    }

    void pauseOrResume() {
        SubscriptionRow subscription = any();
        if (subscription != null) {
            subscription.paused = !subscription.paused;
            world.trace(() -> subscription.name + (subscription.paused ? " is paused" : " is resumed"));
        }
    }

    void resumeAll() {
        database.subscriptions.forEach(subscription -> subscription.paused = false);
    }

    void letGo() {
        SubscriptionRow subscription = any();
        if (subscription != null && !database.log.isEmpty()) {
            subscription.letGoSeq = world.below(database.log.lastKey().intValue() + 1);
            world.trace(() -> subscription.name + " lets go of what is below " + subscription.letGoSeq);
        }
    }

    /** Asks for anything, sensible or not. */
    void command() {
        SubscriptionRow subscription = any();
        if (subscription == null || database.log.isEmpty()) {
            return;
        }
        List<LetterRow> letters =
                new ArrayList<>(database.letters(subscription.id).values());
        if (!letters.isEmpty() && world.chance(0.7)) {
            EventRow event = letters.get(world.below(letters.size())).event;
            Command.Kind[] kinds = {
                Command.Kind.REPLAY, Command.Kind.REPLAY_KEY, Command.Kind.RELEASE, Command.Kind.DISCARD
            };
            Command.Kind kind = kinds[world.below(kinds.length)];
            boolean fits = kind != Command.Kind.REPLAY_KEY || event.key() != null;
            ask(subscription, fits ? kind : Command.Kind.REPLAY, event, null);
        } else {
            List<EventRow> events = new ArrayList<>(database.log.values());
            EventRow event = events.get(world.below(events.size()));
            Instant dueAt = database.now().plusMillis(world.between(-500, 6000));
            ask(subscription, Command.Kind.DEFER, event, dueAt);
        }
    }

    private void ask(SubscriptionRow subscription, Command.Kind kind, EventRow event, @Nullable Instant dueAt) {
        if (kind == Command.Kind.DEFER) {
            world.history().askedToDefer(subscription, event);
        }
        world.trace(() -> "somebody asks " + subscription.name + " to " + kind + " " + event.seq());
        database.command(subscription.id, kind, event, dueAt, "operator", "because");
    }

    /** Deals with whatever holds a key, and with some of the other dead letters. */
    void tidyUp() {
        for (SubscriptionRow subscription : database.subscriptions) {
            for (LetterRow letter : database.letters(subscription.id).values()) {
                boolean asked = database.commands.values().stream()
                        .anyMatch(row -> row.subscriptionId == subscription.id
                                && row.answer == null
                                && row.event == letter.event);
                if (!letter.discarded && !asked && (letter.holdsKey || world.chance(0.3))) {
                    ask(subscription, choice(letter), letter.event, null);
                }
            }
        }
    }

    private Command.Kind choice(LetterRow letter) {
        if (letter.replays < MOST_REPLAYS && world.chance(0.4)) {
            return Command.Kind.REPLAY;
        }
        return letter.holdsKey && world.chance(0.5) ? Command.Kind.RELEASE : Command.Kind.DISCARD;
    }
}
