-- A key may be longer than an index takes (2,704 bytes): a row or a dead letter of such a key could not be written, and
-- with it nothing of its lane. So keys are indexed by their hash; whoever looks one up compares the key too.

DROP INDEX posthorn.delivery_held;
CREATE INDEX delivery_held ON posthorn.delivery (lane_id, hashtextextended(key, 0), place) WHERE state = 'HELD';

-- Nobody looked for letters along it: dead_letter_of_key goes by the hash already.
DROP INDEX posthorn.dead_letter_key;

-- incomplete: the database would not take a copy of the event, so the letter is a short record of it: its number and its
-- id, but neither payload nor headers and perhaps no key. Whoever needs the event itself has the log, while that has it.
ALTER TABLE posthorn.dead_letter ADD COLUMN incomplete boolean NOT NULL DEFAULT false;
