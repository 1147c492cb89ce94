package dev.posthorn.relay.lane;

import dev.posthorn.relay.lane.trouble.FailureRule;

/** The parts of one run of a lane that know each other. */
record LaneParts(
        LaneHold hold,
        Backlog backlog,
        Dispatch dispatch,
        Troubles troubles,
        RowsInHand rows,
        Unwritten unwritten,
        FailureRule rule,
        CarefulMode care,
        Progress progress,
        CommandRunner commands) {}
