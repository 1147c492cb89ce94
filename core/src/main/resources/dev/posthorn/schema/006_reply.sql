-- What a receiver said: kept with the attempt, and, if it wants no more events, with the subscription.

-- pause_reason: why it was paused, if nobody asked for it.
ALTER TABLE posthorn.subscription ADD COLUMN pause_reason text;

-- reply_code: as the receiver's protocol has it, such as an HTTP status. reply: the beginning of what it said.
ALTER TABLE posthorn.attempt
    ADD COLUMN reply_code integer,
    ADD COLUMN reply      text;
