-- What consumers have taken, so that an event that comes again is known, and what they have in hand.

-- Written once by the transaction that acts on the event.
--   entered_at: later than that if another source's event of the same id was entered since, so that the entry by which
--     that one is told apart goes no earlier than its own.
--   source: whose id it is, since two sources may use the same one; null if nobody asked, and then it is everybody's.
--   digest: of what came under the event's id, to tell a repetition from another thing with the same id; null if nobody
--     asked.
CREATE TABLE posthorn.inbox_entry (
    consumer   text        NOT NULL COLLATE "C",
    event_id   uuid        NOT NULL,
    source     text,
    digest     bytea,
    entered_at timestamptz NOT NULL DEFAULT posthorn.clock(),
    PRIMARY KEY (consumer, event_id)
);
-- For retention; by consumer, so that those of one that keeps them for long are not walked over to find the old ones of
-- others. Not BRIN: new entries take the space of deleted ones, and a range keeps the oldest time it ever held, so that
-- after one period every range would look old and every pass would read the whole table.
CREATE INDEX inbox_entry_age ON posthorn.inbox_entry (consumer, entered_at);

-- Consumers that say themselves for how long their inbox entries are kept, whatever holds for others.
CREATE TABLE posthorn.inbox_retention (
    consumer   text        PRIMARY KEY COLLATE "C",
    entries_ms bigint      CHECK (entries_ms > 0),
    asked_at   timestamptz NOT NULL DEFAULT posthorn.clock()
);

-- Which member has a partition of a topic. Written when it begins with the partition, deleted when it gives it up in
-- order. So whoever finds a row has an heir's part: the member before it died, or was taken for dead.
CREATE TABLE posthorn.consumer_partition (
    consumer  text        NOT NULL COLLATE "C",
    topic     text        NOT NULL COLLATE "C",
    partition integer     NOT NULL,
    member    uuid        NOT NULL,
    begun_at  timestamptz NOT NULL DEFAULT posthorn.clock(),
    PRIMARY KEY (consumer, topic, partition)
);

-- How often an event in trouble was given to its handler, counted before it is given. alone: its member had nothing
-- else in hand meanwhile. Deleted by the transaction of its effect, or of its dead letter.
CREATE TABLE posthorn.consumer_attempt (
    consumer      text        NOT NULL COLLATE "C",
    topic         text        NOT NULL COLLATE "C",
    partition     integer     NOT NULL,
    record_offset bigint      NOT NULL,
    event_id      uuid        NOT NULL,
    attempts      integer     NOT NULL CHECK (attempts > 0),
    alone         boolean     NOT NULL,
    counted_at    timestamptz NOT NULL DEFAULT posthorn.clock(),
    PRIMARY KEY (consumer, topic, partition, record_offset)
);
