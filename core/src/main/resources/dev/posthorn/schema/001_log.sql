-- The event log. One row per event, written by the application's own transaction and never updated.

-- The one clock of everything that is stored or compared across instances. Tests replace it by a settable one.
CREATE FUNCTION posthorn.clock() RETURNS timestamptz
    LANGUAGE sql VOLATILE PARALLEL SAFE
    AS $$ SELECT clock_timestamp() $$;

-- Which lane an event belongs to. The same function exists in Java (KeyHash); an unordered event goes by its id.
CREATE FUNCTION posthorn.key_hash(key text, id uuid) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT hashtextextended(coalesce(key, id::text) COLLATE "C", 0) & 9223372036854775807 $$;

-- A plain sequence, because an identity column on a partitioned table needs PostgreSQL 17. CACHE 1, because a cached
-- block would let one session hand out low numbers long after another had handed out higher ones.
CREATE SEQUENCE posthorn.event_seq AS bigint CACHE 1;

CREATE TABLE posthorn.event (
    txid           xid8        NOT NULL DEFAULT pg_current_xact_id(),
    seq            bigint      NOT NULL DEFAULT nextval('posthorn.event_seq'),
    id             uuid        NOT NULL,
    source_id      text,
    source         text        NOT NULL COLLATE "C",
    type           text        NOT NULL COLLATE "C",
    version        integer     NOT NULL,
    aggregate_type text        COLLATE "C",
    key            text        COLLATE "C",
    content_type   text        NOT NULL,
    payload        bytea       NOT NULL,
    headers        jsonb,
    occurred_at    timestamptz NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT posthorn.clock(),
    deliver_at     timestamptz,
    PRIMARY KEY (seq)
) PARTITION BY RANGE (seq);

-- Read by transaction, in order within one; look up by id. No index on created_at: seq and created_at are drawn by the
-- same INSERT, so a time is found by a few steps along seq, and even a BRIN index costs every INSERT 4 us.
CREATE INDEX event_txid ON posthorn.event (txid, seq);
CREATE INDEX event_id ON posthorn.event (id);

-- Catches what no other partition takes, so that an INSERT can never fail for want of one. Normally empty.
CREATE TABLE posthorn.event_default PARTITION OF posthorn.event DEFAULT;

-- The partitions made so far, for those who make and drop them.
--   passed_*: set once, when the sequence has passed the partition's range.
--   passed_xid: a transaction id given out after that. An INSERT has its transaction's id before it draws its seq (txid
--     is the log's first column, and columns are computed in order), so every event of the range, visible already or
--     not, has a txid below passed_xid.
CREATE TABLE posthorn.event_partition (
    from_seq   bigint      PRIMARY KEY,
    to_seq     bigint      NOT NULL CHECK (to_seq > from_seq),
    created_at timestamptz NOT NULL DEFAULT posthorn.clock(),
    passed_xid xid8,
    passed_era integer,
    passed_at  timestamptz,
    CHECK (num_nulls(passed_xid, passed_era, passed_at) IN (0, 3))
);

-- Adds the partition for [from_seq, to_seq). ATTACH rather than CREATE ... PARTITION OF: behind one open writer the
-- latter would stall every INSERT. The lock timeout makes it give up instead of queueing; the keeper tries again.
-- SECURITY DEFINER, so that the relay's role needs no ownership.
CREATE FUNCTION posthorn.add_partition(from_seq bigint, to_seq bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    SET lock_timeout = '200ms'
    AS $$
DECLARE
    partition_name text := 'event_' || from_seq;
BEGIN
    EXECUTE format('CREATE TABLE posthorn.%I (LIKE posthorn.event INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)', partition_name);
    EXECUTE format('ALTER TABLE posthorn.%I ADD CONSTRAINT seq_range CHECK (seq >= %s AND seq < %s)', partition_name, from_seq, to_seq);
    EXECUTE format('ALTER TABLE posthorn.event ATTACH PARTITION posthorn.%I FOR VALUES FROM (%s) TO (%s)', partition_name, from_seq, to_seq);
    EXECUTE format('ALTER TABLE posthorn.%I DROP CONSTRAINT seq_range', partition_name);
    INSERT INTO posthorn.event_partition (from_seq, to_seq) VALUES (add_partition.from_seq, add_partition.to_seq);
END
$$;
REVOKE ALL ON FUNCTION posthorn.add_partition(bigint, bigint) FROM PUBLIC;
