package dev.posthorn.relay;

import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;

/** A lane just taken over, with all that its new owner has to know. */
record LaneGrant(String name, Lease lease, LaneScope scope, Mark mark, long readSeq) {}
