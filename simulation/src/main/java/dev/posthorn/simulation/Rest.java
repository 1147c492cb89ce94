package dev.posthorn.simulation;

import dev.posthorn.log.Mark;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.simulation.Tables.FrontRow;
import dev.posthorn.simulation.Tables.LaneRow;
import dev.posthorn.simulation.Tables.LetterRow;
import dev.posthorn.simulation.Tables.SubscriptionRow;
import dev.posthorn.subscription.Subscription;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * When all is well and nothing is left to do, nothing costs anything: every lane rides, at the end of the log, and every
 * place in every room is free again.
 */
final class Rest {

    private final World world;
    private final ModelDatabase database;
    private final Scenario scenario;

    Rest(World world, ModelDatabase database, Scenario scenario) {
        this.world = world;
        this.database = database;
        this.scenario = scenario;
    }

    /** What is not at rest; null if all is. */
    @Nullable
    Supplier<String> missing() {
        for (Scenario.Settings settings : scenario.subscriptions) {
            SubscriptionRow subscription = database.find(settings.name);
            Supplier<String> missing = subscription == null ? null : missing(subscription);
            if (missing != null) {
                return missing;
            }
        }
        for (SimulatedInstance instance : world.instances()) {
            Supplier<String> missing = instance.taken(this::roomOf);
            if (missing != null) {
                return missing;
            }
        }
        return null;
    }

    private int roomOf(Subscription subscription) {
        return subscription.inFlightLimit();
    }

    private @Nullable Supplier<String> missing(SubscriptionRow subscription) {
        boolean stays = subscription.paused
                || subscription.letGoSeq > 0
                || database.letters(subscription.id).values().stream().anyMatch(Rest::holds);
        for (LaneRow lane : database.lanes(subscription, subscription.generation)) {
            FrontRow front = lane.front == null ? null : database.fronts.get(lane.front);
            // Of a receiver that has refused everything nothing more is known before the next event.
            boolean troubled = lane.gauge != null && !lane.gauge.equals(Settlement.Gauge.CALM);
            if (!stays && !troubled && (front == null || front.ended)) {
                return () -> "lane " + lane.id + " of " + subscription.name + " does not ride";
            }
            if (front != null && !front.mark.equals(Mark.at(database.snapshot()))) {
                return () -> "lane " + lane.id + " of " + subscription.name + " rides at " + front.mark + ", and it is "
                        + database.snapshot();
            }
        }
        return null;
    }

    private static boolean holds(LetterRow letter) {
        return letter.holdsKey && !letter.discarded;
    }
}
