package dev.posthorn.relay;

import dev.posthorn.relay.front.Front;
import dev.posthorn.relay.lane.Lane;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a crew has one of its lanes stepped: whoever wants to know of each step is asked to make it. */
public interface Stepping {

    /** Steps it. Returns after how many nanoseconds the next step is of use, as {@link Lane#step()} does. */
    long step(Lane lane);

    /** Steps the front that lanes ride on. */
    default void step(Front front) {
        front.step();
    }

    /** The step of the front ended in an error nobody expected. Its lanes begin anew. */
    default void failed(Throwable bug) {
        Logger log = LoggerFactory.getLogger(Crew.class);
        log.error("What lanes ride on: an error nobody expected; they begin anew", bug);
    }

    /** Its step ended in an error nobody expected. It is stepped again in a second. */
    default void failed(Lane lane, Throwable bug) {
        Logger log = LoggerFactory.getLogger(Crew.class);
        log.error("Lane {}: an error nobody expected; trying again in a second", lane.name(), bug);
    }
}
