-- Dead letters for people: found by key and by cause, with notes, however many there are.

-- The causes are counted in this index alone, and the letters of one are listed along it. It takes the place of the one
-- that had neither time nor id.
DROP INDEX posthorn.dead_letter_cause;
CREATE INDEX dead_letter_group ON posthorn.dead_letter (subscription_id, error_class, cause, last_failed_at, id)
    INCLUDE (first_failed_at) WHERE discarded_at IS NULL;

-- By hash, since a key may be longer than an index takes.
CREATE INDEX dead_letter_of_key ON posthorn.dead_letter (hashtextextended(key, 0), last_failed_at, id)
    WHERE key IS NOT NULL;

-- What an operator wants others to know about the dead letters of one cause. It stays when they are gone: they may come
-- back.
CREATE TABLE posthorn.dead_letter_note (
    subscription_id bigint      NOT NULL REFERENCES posthorn.subscription ON DELETE CASCADE,
    error_class     text        NOT NULL,
    cause           text        NOT NULL,
    note            text        NOT NULL,
    noted_by        text        NOT NULL,
    noted_at        timestamptz NOT NULL DEFAULT posthorn.clock(),
    PRIMARY KEY (subscription_id, error_class, cause)
);
