package dev.posthorn.relay;

/** The parts of one run of a lane that know each other. */
record LaneParts(LaneHold hold, Dispatch dispatch, Troubles troubles, Care care, Progress progress, Desk desk) {}
