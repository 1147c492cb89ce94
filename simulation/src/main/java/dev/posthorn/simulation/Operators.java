package dev.posthorn.simulation;

import dev.posthorn.relay.store.Command;
import dev.posthorn.relay.store.ReplayOrder;
import dev.posthorn.simulation.Tables.EventRow;
import dev.posthorn.simulation.Tables.ItemRow;
import dev.posthorn.simulation.Tables.LetterRow;
import dev.posthorn.simulation.Tables.ReplayRow;
import dev.posthorn.simulation.Tables.SubscriptionRow;
import dev.posthorn.subscription.Subscription;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** People who pause and resume, ask lanes to do things about events, and replay what failed or was delivered. */
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
            boolean paused = !subscription.paused;
            long xid = database.begin();
            if (world.chance(0.5)) {
                database.pause(subscription, paused, xid);
                world.trace(() -> subscription.name + (paused ? " is paused" : " is resumed"));
            } else {
                endLater(xid, subscription, paused);
            }
        }
    }

    /** Others begin and end meanwhile: its number says nothing about when it is seen. */
    private void endLater(long xid, SubscriptionRow subscription, boolean paused) {
        long start = world.databaseStarts();
        world.after(world.between(1, 1500), () -> {
            if (start == world.databaseStarts() && !(world.isQuiet() && paused)) {
                database.pause(subscription, paused, xid);
                database.replicate();
                world.trace(() -> subscription.name + (paused ? " is paused" : " is resumed") + " at last");
            } else if (start == world.databaseStarts()) {
                database.rollback(xid);
            }
        });
    }

    void resumeAll() {
        database.subscriptions.forEach(subscription -> database.pause(subscription, false));
        goOnWithAll();
    }

    void letGo() {
        SubscriptionRow subscription = any();
        if (subscription != null && !database.log.isEmpty()) {
            subscription.letGoSeq = world.below((int) database.log.lastSeq() + 1);
            database.changed(subscription.id);
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
            ask(subscription, world.chance(0.5) ? Command.Kind.RELEASE : givingUp(event), event, null);
        } else {
            List<EventRow> events = new ArrayList<>(database.log.values());
            EventRow event = events.get(world.below(events.size()));
            Instant dueAt = database.now().plusMillis(world.between(-500, 6000));
            ask(subscription, Command.Kind.DEFER, event, dueAt);
        }
    }

    private static Command.Kind givingUp(EventRow event) {
        return event.seq() % 2 == 0 ? Command.Kind.PURGE : Command.Kind.DISCARD;
    }

    private void ask(SubscriptionRow subscription, Command.Kind kind, EventRow event, @Nullable Instant dueAt) {
        if (kind == Command.Kind.DEFER) {
            world.history().askedToDefer(subscription, event);
        }
        world.trace(() -> "somebody asks " + subscription.name + " to " + kind + " " + event.seq());
        database.command(subscription.id, kind, event, dueAt, "operator", "because");
    }

    /** Starts a replay, or does something about one that has begun. */
    void replay() {
        List<ReplayRow> open = database.replays.values().stream()
                .filter(replay -> !replay.isEnded())
                .toList();
        if (open.isEmpty() || world.chance(0.4)) {
            start();
        } else {
            change(open.get(world.below(open.size())));
        }
    }

    private void start() {
        boolean delivered = database.letters.values().stream().allMatch(Map::isEmpty) || world.chance(0.3);
        double part = world.chance(0.5) ? 1 : 0.5;
        List<SubscriptionRow> some = world.chance(0.3)
                ? database.subscriptions
                : Stream.ofNullable(any()).toList();
        ReplayRow replay = database.replay();
        for (SubscriptionRow subscription : some) {
            for (EventRow event : database.log.values()) {
                boolean fits = delivered ? isDelivered(subscription, event) : isOpenLetter(subscription, event);
                if (fits && !database.isInReplay(subscription.id, event.seq()) && world.chance(part)) {
                    database.item(replay, subscription.id, event);
                }
            }
        }
        if (replay.items.isEmpty()) {
            database.replays.remove(replay.id);
        } else {
            set(replay);
            begin(replay);
        }
    }

    private boolean isOpenLetter(SubscriptionRow subscription, EventRow event) {
        LetterRow letter = database.letters(subscription.id).get(event.seq());
        return letter != null && !letter.discarded && letter.replays < MOST_REPLAYS;
    }

    private boolean isDelivered(SubscriptionRow subscription, EventRow event) {
        return world.history().isDelivered(subscription, event);
    }

    private void set(ReplayRow replay) {
        replay.ratePerSecond = world.chance(0.3) ? world.between(2, 50) : Subscription.UNLIMITED;
        replay.maxInFlight = world.chance(0.4) ? world.between(1, 5) : ReplayOrder.ANY_NUMBER;
        replay.stopAtFailureRate = world.chance(0.3) ? world.below(10) / 10.0 : null;
        replay.canaryGoesOn = world.chance(0.5);
        if (world.chance(0.3)) {
            replay.trying = true;
            replay.items.stream()
                    .sorted(Comparator.comparingLong(ItemRow::seq))
                    .limit(world.between(1, 4))
                    .forEach(item -> item.canary = true);
        }
    }

    private void begin(ReplayRow replay) {
        world.history().started(replay);
        replay.subscriptions.forEach(database::changed);
        world.trace(() -> "somebody starts replay " + replay.id + " of "
                + replay.items.stream().map(ItemRow::seq).toList() + (replay.trying ? ", with a canary" : ""));
    }

    private void change(ReplayRow replay) {
        if (replay.state != ReplayRow.Standing.RUNNING && world.chance(0.6)) {
            goOn(replay);
        } else if (world.chance(0.4)) {
            database.cancel(replay);
            if (world.chance(0.5)) {
                start();
            }
        } else if (replay.state == ReplayRow.Standing.RUNNING) {
            replay.state = ReplayRow.Standing.PAUSED;
            replay.subscriptions.forEach(database::changed);
        }
        world.trace(() -> "somebody makes replay " + replay.id + " " + replay.state);
    }

    /** Resumes it, or says go. */
    private void goOn(ReplayRow replay) {
        replay.trying &= replay.state != ReplayRow.Standing.WAITING_FOR_GO;
        replay.state = ReplayRow.Standing.RUNNING;
        replay.subscriptions.forEach(database::changed);
    }

    private void goOnWithAll() {
        database.replays.values().stream()
                .filter(replay -> !replay.isEnded() && replay.state != ReplayRow.Standing.RUNNING)
                .forEach(this::goOn);
    }

    /** Deals with whatever holds a key, and with some of the other dead letters. */
    void tidyUp() {
        for (SubscriptionRow subscription : database.subscriptions) {
            for (LetterRow letter : database.letters(subscription.id).values()) {
                if (!letter.discarded
                        && !isAsked(subscription, letter.event)
                        && (letter.holdsKey || world.chance(0.3))) {
                    deal(subscription, letter);
                }
            }
        }
    }

    private boolean isAsked(SubscriptionRow subscription, EventRow event) {
        return database.isInReplay(subscription.id, event.seq())
                || database.commands.values().stream()
                        .anyMatch(row ->
                                row.subscriptionId == subscription.id && row.answer == null && row.event == event);
    }

    private void deal(SubscriptionRow subscription, LetterRow letter) {
        if (letter.replays < MOST_REPLAYS && world.chance(0.4)) {
            ReplayRow replay = database.replay();
            database.item(replay, subscription.id, letter.event);
            begin(replay);
        } else {
            boolean release = letter.holdsKey && world.chance(0.5);
            ask(subscription, release ? Command.Kind.RELEASE : givingUp(letter.event), letter.event, null);
        }
    }
}
