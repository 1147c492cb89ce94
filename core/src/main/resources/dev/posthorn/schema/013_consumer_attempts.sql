-- What consumers have in hand: an event that ends the process of its consumer has to use up its attempts like any other.

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

-- How often an event in trouble was given to its handler, counted before it is given. alone: its member had nothing else
-- in hand meanwhile. Deleted by the transaction of its effect, or of its dead letter.
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

-- A hub knew what was published to it under a name that a consumer could have too. A consumer's entries have no digest.
UPDATE posthorn.inbox_entry SET consumer = '(ingest)' WHERE consumer = 'posthorn' AND digest IS NOT NULL;
