-- What consumers have taken, so that an event that comes again is known.

-- Written once by the transaction that acts on the event, never updated. digest: of what came under the event's id, to
-- tell a repetition from another thing with the same id; null if nobody asked.
CREATE TABLE posthorn.inbox_entry (
    consumer   text        NOT NULL COLLATE "C",
    event_id   uuid        NOT NULL,
    digest     bytea,
    entered_at timestamptz NOT NULL DEFAULT posthorn.clock(),
    PRIMARY KEY (consumer, event_id)
);

-- For retention. Not BRIN: new entries take the space of deleted ones, and a range keeps the oldest time it ever held,
-- so that after one period every range would look old and every pass would read the whole table.
CREATE INDEX inbox_entry_time ON posthorn.inbox_entry (entered_at);
