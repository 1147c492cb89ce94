-- A wish for another generation is replaced or withdrawn by the next one, as long as it has not begun.

-- revision: that of the document which said last what the filter and the lanes are to be; 0 if no document does. An older
-- one that comes late says nothing any more.
ALTER TABLE posthorn.subscription ADD COLUMN revision bigint NOT NULL DEFAULT 0;

-- change: what lanes stand still for while the generation is only wanted. Another one that is wanted after it was
-- withdrawn has another. Random, because a number could be given out again after a crash.
ALTER TABLE posthorn.generation ADD COLUMN change uuid NOT NULL DEFAULT gen_random_uuid();

-- parked_for: the change for which the lane stands still at the end of a window and waits for stop_at. It says nothing
-- about any other change: by then the lane may have read on.
ALTER TABLE posthorn.lane_mark ADD COLUMN parked_for uuid;
ALTER TABLE posthorn.lane_mark DROP COLUMN parked;
