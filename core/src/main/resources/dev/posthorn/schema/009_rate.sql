-- How many events a subscription may hand over now, if it has a rate. One row for all instances, made by the first lease.

-- tokens: what was left at refilled_at; what has come due since is added by the next lease. granted: what the last lease
-- was given. Updated many times a second while events wait, so with room on its page.
CREATE TABLE posthorn.rate (
    subscription_id bigint           PRIMARY KEY REFERENCES posthorn.subscription ON DELETE CASCADE,
    tokens          double precision NOT NULL,
    granted         integer          NOT NULL,
    refilled_at     timestamptz      NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0);
