-- A receiver that answers and refuses everything is told apart from one that is not reached.

-- denial_since, denial_reason: since when a lane's receiver has refused everything, and what it said last; null while it
-- does not. An heir of the lane begins as its former owner left it.
ALTER TABLE posthorn.lane_gauge
    ADD COLUMN denial_since  timestamptz,
    ADD COLUMN denial_reason text;

-- By it a lane finds the held events of a key, and whether one of many keys is blocked: a lane keeps only so many of them
-- in mind.
DROP INDEX posthorn.delivery_held;
CREATE INDEX delivery_key ON posthorn.delivery (lane_id, hashtextextended(key, 0), state, place) WHERE key IS NOT NULL;
