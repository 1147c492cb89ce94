package dev.posthorn.relay;

/** Where a lane's progress is kept. */
interface LaneStore {

    /** Writes the settlement if the lane is still owned under its epoch; otherwise nothing, and answers false. */
    boolean settle(Settlement settlement);
}
