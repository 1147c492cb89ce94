-- What the relay remembers: subscriptions, their lanes, and for each lane one lease and one mark.

-- The cluster whose transaction ids the marks refer to. floor_seq: the last seq of the eras before this one.
CREATE TABLE posthorn.cluster (
    only_row          boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    system_identifier bigint  NOT NULL,
    era               integer NOT NULL DEFAULT 0,
    floor_seq         bigint  NOT NULL DEFAULT 0
);
-- 0 if it may not be asked for: posthorn.is_elsewhere tells by other means then.
DO $$ BEGIN
    IF has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE') THEN
        INSERT INTO posthorn.cluster (system_identifier) SELECT system_identifier FROM pg_catalog.pg_control_system();
    ELSE
        INSERT INTO posthorn.cluster (system_identifier) VALUES (0);
    END IF;
END $$;

-- pending_lanes: another number of lanes is wanted; stop_at: the snapshot at which all lanes of this generation stop.
CREATE TABLE posthorn.subscription (
    id            bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name          text        NOT NULL UNIQUE,
    generation    integer     NOT NULL DEFAULT 1,
    lanes         integer     NOT NULL CHECK (lanes BETWEEN 1 AND 256),
    pending_lanes integer     CHECK (pending_lanes BETWEEN 1 AND 256),
    stop_at       pg_snapshot,
    created_at    timestamptz NOT NULL DEFAULT posthorn.clock()
);

-- A share of a subscription's keys. since: in its first window only events written at or after this time count.
CREATE TABLE posthorn.lane (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription_id bigint      NOT NULL REFERENCES posthorn.subscription ON DELETE CASCADE,
    generation      integer     NOT NULL,
    index           integer     NOT NULL,
    since           timestamptz,
    UNIQUE (subscription_id, generation, index)
);

-- Who owns a lane, and until when. Touched by the lease keeper alone.
CREATE TABLE posthorn.lane_lease (
    lane_id    bigint      PRIMARY KEY REFERENCES posthorn.lane ON DELETE CASCADE,
    epoch      bigint      NOT NULL DEFAULT 0,
    owner      text,
    expires_at timestamptz
) WITH (fillfactor = 50);

-- How far a lane is settled: an event is settled iff it is visible in a, or visible in b with its seq at most seq.
-- high_*: how far events were handed to the sink; null snapshots mean the mark's own. read_seq: greatest seq ever read.
-- parked: the lane stands still at the end of a window and waits for stop_at.
-- Updated thousands of times, hence narrow, with room on its page, and vacuumed early.
CREATE TABLE posthorn.lane_mark (
    lane_id  bigint      PRIMARY KEY REFERENCES posthorn.lane ON DELETE CASCADE,
    epoch    bigint      NOT NULL DEFAULT 0,
    a        pg_snapshot NOT NULL,
    b        pg_snapshot NOT NULL,
    seq      bigint      NOT NULL DEFAULT 0,
    high_a   pg_snapshot,
    high_b   pg_snapshot,
    high_seq bigint      NOT NULL DEFAULT 0,
    read_seq bigint      NOT NULL DEFAULT 0,
    parked   boolean     NOT NULL DEFAULT false
) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0);

-- After a move to another cluster: what the lane's mark was there. Its first window is then every event up to to_seq
-- that this older mark does not settle. Of no meaning once that window is settled.
CREATE TABLE posthorn.lane_drain (
    lane_id  bigint      PRIMARY KEY REFERENCES posthorn.lane ON DELETE CASCADE,
    a        pg_snapshot NOT NULL,
    b        pg_snapshot NOT NULL,
    seq      bigint      NOT NULL,
    read_seq bigint      NOT NULL,
    floor_seq bigint     NOT NULL,
    to_seq   bigint      NOT NULL
);

-- A lane's progress over time, at most one row a second.
CREATE TABLE posthorn.receipt (
    lane_id    bigint      NOT NULL REFERENCES posthorn.lane ON DELETE CASCADE,
    era        integer     NOT NULL,
    a          pg_snapshot NOT NULL,
    b          pg_snapshot NOT NULL,
    seq        bigint      NOT NULL,
    count      bigint      NOT NULL,
    settled_at timestamptz NOT NULL DEFAULT posthorn.clock()
);
CREATE INDEX receipt_lane ON posthorn.receipt (lane_id, settled_at);

-- The instances that serve a subscription, those without a lane among them: sharing counts them all.
CREATE TABLE posthorn.instance (
    subscription_id bigint      NOT NULL REFERENCES posthorn.subscription ON DELETE CASCADE,
    id              text        NOT NULL,
    expires_at      timestamptz NOT NULL,
    PRIMARY KEY (subscription_id, id)
);
