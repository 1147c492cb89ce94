-- How much was done and when, so that those who look at it cost nothing that grows with the log.

-- What a hub did in ten seconds; no row: nothing. Kept for two days.
--   at: when the ten seconds began.
--   writer: each process of a hub writes rows of its own.
--   since_seq, seq: where the numbers of the log stood when it looked before, and when it looked then. They tell of what
--     applications recorded too. Several hubs see the same numbers go by, so these are joined, not added.
CREATE TABLE posthorn.hub_rollup (
    at            timestamptz NOT NULL,
    writer        uuid        NOT NULL,
    since_seq     bigint      NOT NULL,
    seq           bigint      NOT NULL,
    delivered     bigint      NOT NULL,
    failed        bigint      NOT NULL,
    dead_lettered bigint      NOT NULL,
    PRIMARY KEY (at, writer)
);

-- The same of one subscription in a minute, if anything was tried for it. Kept for a day. No foreign key: what is left of a
-- subscription that is gone goes by its age.
CREATE TABLE posthorn.subscription_rollup (
    subscription_id bigint      NOT NULL,
    minute          timestamptz NOT NULL,
    writer          uuid        NOT NULL,
    delivered       bigint      NOT NULL,
    failed          bigint      NOT NULL,
    dead_lettered   bigint      NOT NULL,
    PRIMARY KEY (subscription_id, minute, writer)
) WITH (fillfactor = 70);
CREATE INDEX subscription_rollup_minute ON posthorn.subscription_rollup (minute);
