-- Retention: the log is cut by dropping whole partitions, once they are old and every lane has settled them.

-- Set once, when the sequence has passed the partition's range. passed_xid: a transaction id given out after that. An
-- INSERT has its transaction's id before it draws its seq (txid is the table's first column, and columns are computed
-- in order), so every event of the range, visible already or not, has a txid below passed_xid.
ALTER TABLE posthorn.event_partition
    ADD COLUMN passed_xid xid8,
    ADD COLUMN passed_era integer,
    ADD COLUMN passed_at  timestamptz,
    ADD CHECK (num_nulls(passed_xid, passed_era, passed_at) IN (0, 3));

-- Drops the partition that starts at from_seq and tells how many of its events it kept. Checks nothing: that every lane
-- has settled all of the partition is the retention keeper's business.
--
-- Events that delivery rows still need are copied out first. No row can come between the copy and the drop: a lane
-- writes the row of an event no later than its mark passes that event, and the marks had passed all of them before.
-- For the same reason no lane is in the middle of a walk of this partition: a walk starts behind the mark. Whoever else
-- is reading it has locked it, and then the drop gives up.
--
-- The copy comes before the lock, because to drop a partition locks the whole log: everybody who records waits for as
-- long as this takes, or until the lock timeout makes it give up; the keeper tries again.
-- SECURITY DEFINER, so that the relay's role needs no ownership.
CREATE FUNCTION posthorn.drop_partition(from_seq bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    SET lock_timeout = '200ms'
    AS $$
DECLARE
    partition_name text := 'event_' || from_seq;
    range_end bigint;
    kept bigint;
BEGIN
    SELECT p.to_seq INTO STRICT range_end FROM posthorn.event_partition p WHERE p.from_seq = drop_partition.from_seq;
    -- As an array, so that these events are looked up one by one, whatever the planner thinks of an empty table.
    EXECUTE format($copy$
        INSERT INTO posthorn.kept_event (txid, seq, id, source_id, source, type, version, aggregate_type, key,
                                         content_type, payload, headers, occurred_at, created_at, deliver_at)
        SELECT txid, seq, id, source_id, source, type, version, aggregate_type, key,
               content_type, payload, headers, occurred_at, created_at, deliver_at
          FROM posthorn.%I
         WHERE seq = ANY (ARRAY(SELECT DISTINCT d.seq FROM posthorn.delivery d WHERE d.seq >= %s AND d.seq < %s))
            ON CONFLICT (seq) DO NOTHING $copy$, partition_name, from_seq, range_end);
    GET DIAGNOSTICS kept = ROW_COUNT;
    EXECUTE format('DROP TABLE posthorn.%I', partition_name);
    DELETE FROM posthorn.event_partition p WHERE p.from_seq = drop_partition.from_seq;
    RETURN kept;
END
$$;
REVOKE ALL ON FUNCTION posthorn.drop_partition(bigint) FROM PUBLIC;

-- Deletes settled events from the DEFAULT partition, which is never dropped, and tells how many: those recorded before
-- a time, by a transaction before settled_xid; of the eras before this one, those up to drained_seq. Null settles all.
-- What delivery rows still need is kept as above.
CREATE FUNCTION posthorn.delete_strays(
        recorded_before timestamptz, settled_xid xid8, floor_seq bigint, drained_seq bigint, most integer)
    RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    SET lock_timeout = '200ms'
    AS $$
WITH settled AS (
    SELECT e.seq FROM posthorn.event_default e
     WHERE e.created_at < delete_strays.recorded_before
       AND CASE WHEN e.seq <= delete_strays.floor_seq
                THEN delete_strays.drained_seq IS NULL OR e.seq <= delete_strays.drained_seq
                ELSE delete_strays.settled_xid IS NULL OR e.txid < delete_strays.settled_xid END
     ORDER BY e.seq LIMIT delete_strays.most),
gone AS (
    DELETE FROM posthorn.event_default e USING settled WHERE e.seq = settled.seq RETURNING e.*),
kept AS (
    INSERT INTO posthorn.kept_event (txid, seq, id, source_id, source, type, version, aggregate_type, key,
                                     content_type, payload, headers, occurred_at, created_at, deliver_at)
    SELECT txid, seq, id, source_id, source, type, version, aggregate_type, key,
           content_type, payload, headers, occurred_at, created_at, deliver_at
      FROM gone WHERE EXISTS (SELECT FROM posthorn.delivery d WHERE d.seq = gone.seq)
        ON CONFLICT (seq) DO NOTHING)
SELECT count(*) FROM gone
$$;
REVOKE ALL ON FUNCTION posthorn.delete_strays(timestamptz, xid8, bigint, bigint, integer) FROM PUBLIC;
