package dev.posthorn.relay.front;

import dev.posthorn.log.Mark;

/**
 * The last move of a front, for one of its riders. Its answer was lost: it was done if the lane's row says its turn once the
 * lane is off.
 *
 * @param number how many of the events that were handed out are behind it
 * @param receipted for how many events of the rider it wrote a receipt
 */
public record MoveInDoubt(long turn, Mark at, long number, int receipted) {}
