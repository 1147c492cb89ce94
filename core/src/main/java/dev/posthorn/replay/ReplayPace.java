package dev.posthorn.replay;

import dev.posthorn.error.Requests;
import org.jspecify.annotations.Nullable;

/**
 * How fast a replay goes.
 *
 * @param ratePerSecond how many items may be sent a second, over all instances; null: as fast as they go
 * @param maxInFlight how many of its items a subscription has at its sink at a time; null: as many as its lanes may
 */
public record ReplayPace(
        @Nullable Double ratePerSecond, @Nullable Integer maxInFlight) {

    public static final ReplayPace UNLIMITED = new ReplayPace(null, null);

    public ReplayPace {
        Requests.require(
                ratePerSecond == null || (ratePerSecond > 0 && Double.isFinite(ratePerSecond)),
                "ratePerSecond is " + ratePerSecond + "; it must be more than 0, or left out for no limit");
        Requests.require(
                maxInFlight == null || maxInFlight > 0,
                "maxInFlight is " + maxInFlight + "; it must be at least 1, or left out for no limit");
    }

    public ReplayPace ratePerSecond(@Nullable Double other) {
        return new ReplayPace(other, maxInFlight);
    }

    public ReplayPace maxInFlight(@Nullable Integer other) {
        return new ReplayPace(ratePerSecond, other);
    }
}
