-- Retention: for how long things are kept. The log is cut by dropping whole partitions, once they are old and every
-- lane has settled them.

-- Who asked for things to be kept for how long, in milliseconds; null means for ever. A relay forgets what is older
-- than the longest of its own periods and all of these. Written when a relay starts that was told; a row of somebody
-- who is gone for good is deleted by hand.
CREATE TABLE posthorn.retention (
    asker            text        PRIMARY KEY COLLATE "C",
    log_ms           bigint      CHECK (log_ms > 0),
    attempts_ms      bigint      CHECK (attempts_ms > 0),
    dead_letters_ms  bigint      CHECK (dead_letters_ms > 0),
    inbox_entries_ms bigint      CHECK (inbox_entries_ms > 0),
    asked_at         timestamptz NOT NULL DEFAULT posthorn.clock()
);

-- To drop a partition locks the whole log, so it takes two steps, and retention looks again in between, under the lock:
-- since the look that found the partition old and settled, a replay may have frozen its events, a subscription may have
-- begun with them, or a row may need one.
-- What the relay calls is SECURITY DEFINER, so that its role needs no ownership.

-- Copies out the events of the partition that delivery rows need and that are not copied yet, and tells how many.
CREATE FUNCTION posthorn.keep_events(from_seq bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    range_end bigint;
    kept bigint;
BEGIN
    SELECT p.to_seq INTO STRICT range_end FROM posthorn.event_partition p WHERE p.from_seq = keep_events.from_seq;
    -- As an array, so that these events are looked up one by one, whatever the planner thinks of an empty table.
    EXECUTE format($copy$
        INSERT INTO posthorn.kept_event (txid, seq, id, source_id, source, type, version, aggregate_type, key,
                                         content_type, payload, headers, occurred_at, created_at, deliver_at)
        SELECT txid, seq, id, source_id, source, type, version, aggregate_type, key,
               content_type, payload, headers, occurred_at, created_at, deliver_at
          FROM posthorn.%I
         WHERE seq = ANY (ARRAY(SELECT DISTINCT d.seq FROM posthorn.delivery d
                                 WHERE d.seq >= %s AND d.seq < %s
                                   AND NOT EXISTS (SELECT FROM posthorn.kept_event k WHERE k.seq = d.seq)))
            ON CONFLICT (seq) DO NOTHING $copy$, 'event_' || from_seq, from_seq, range_end);
    GET DIAGNOSTICS kept = ROW_COUNT;
    RETURN kept;
END
$$;
REVOKE ALL ON FUNCTION posthorn.keep_events(bigint) FROM PUBLIC;

-- Copies out the events of the partition that delivery rows need, then locks the log, and tells how many it copied. The
-- copy comes first because nobody can record or read while the log is locked; that lasts until the transaction ends,
-- and is given up if it cannot be had soon.
CREATE FUNCTION posthorn.lock_partition(from_seq bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    SET lock_timeout = '200ms'
    AS $$
DECLARE
    kept bigint;
BEGIN
    kept := posthorn.keep_events(from_seq);
    LOCK TABLE ONLY posthorn.event IN ACCESS EXCLUSIVE MODE;
    RETURN kept;
END
$$;
REVOKE ALL ON FUNCTION posthorn.lock_partition(bigint) FROM PUBLIC;

-- Drops the partition that starts at from_seq and tells how many of its events it kept: what has come to be needed
-- since the first copy is copied as well. Checks nothing: that every lane has settled all of the partition is the
-- retention keeper's business, which calls this only when the log is locked and it has looked again.
--
-- No row can come between the copy and the drop: a lane writes the row of an event no later than its mark passes that
-- event, and the marks had passed all of them before. For the same reason no lane is in the middle of a walk of this
-- partition: a walk starts behind the mark. Whoever else is reading it has locked it, and then the drop gives up.
CREATE FUNCTION posthorn.drop_partition(from_seq bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    SET lock_timeout = '200ms'
    AS $$
DECLARE
    kept bigint;
BEGIN
    kept := posthorn.keep_events(from_seq);
    EXECUTE format('DROP TABLE posthorn.%I', 'event_' || from_seq);
    DELETE FROM posthorn.event_partition p WHERE p.from_seq = drop_partition.from_seq;
    RETURN kept;
END
$$;
REVOKE ALL ON FUNCTION posthorn.drop_partition(bigint) FROM PUBLIC;

-- Settled events of the DEFAULT partition that were recorded before a time: by a transaction before the xmin of every
-- lane; of the eras before this one, those that every lane has drained. Not those that a replay is still to read.
CREATE FUNCTION posthorn.settled_strays(recorded_before timestamptz, most integer) RETURNS bigint[]
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
SELECT ARRAY(
    SELECT e.seq
      FROM posthorn.event_default e
     CROSS JOIN (
        SELECT c.floor_seq,
               (SELECT pg_snapshot_xmin(m.a) FROM posthorn.mark m ORDER BY pg_snapshot_xmin(m.a) LIMIT 1) AS xmin,
               (SELECT min(CASE WHEN m.a::text <> '1:1:' THEN c.floor_seq ELSE m.seq END)
                  FROM posthorn.mark m) AS drained
          FROM posthorn.cluster c) settled
     WHERE e.created_at < settled_strays.recorded_before
       AND CASE WHEN e.seq <= settled.floor_seq
                THEN settled.drained IS NULL OR e.seq <= settled.drained
                ELSE settled.xmin IS NULL OR e.txid < settled.xmin END
       AND NOT EXISTS (SELECT FROM posthorn.replay_item i
                        WHERE i.seq = e.seq AND i.state = 'PENDING' AND i.dead_letter_id IS NULL)
     ORDER BY e.seq LIMIT settled_strays.most)
$$;
REVOKE ALL ON FUNCTION posthorn.settled_strays(timestamptz, integer) FROM PUBLIC;

-- Deletes them and tells how many; what delivery rows still need is kept. Here too the look counts that is taken when
-- nobody can read them any more. The lock is asked for only if there is something to delete, which is seldom.
CREATE FUNCTION posthorn.delete_strays(recorded_before timestamptz, most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    SET lock_timeout = '200ms'
    AS $$
DECLARE
    deleted bigint;
BEGIN
    IF cardinality(posthorn.settled_strays(recorded_before, 1)) = 0 THEN
        RETURN 0;
    END IF;
    LOCK TABLE posthorn.event_default IN ACCESS EXCLUSIVE MODE;
    WITH gone AS (
        DELETE FROM posthorn.event_default e
         WHERE e.seq = ANY ((SELECT posthorn.settled_strays(delete_strays.recorded_before, delete_strays.most))::bigint[])
        RETURNING e.*),
    kept AS (
        INSERT INTO posthorn.kept_event (txid, seq, id, source_id, source, type, version, aggregate_type, key,
                                         content_type, payload, headers, occurred_at, created_at, deliver_at)
        SELECT txid, seq, id, source_id, source, type, version, aggregate_type, key,
               content_type, payload, headers, occurred_at, created_at, deliver_at
          FROM gone WHERE EXISTS (SELECT FROM posthorn.delivery d WHERE d.seq = gone.seq)
            ON CONFLICT (seq) DO NOTHING)
    SELECT count(*) INTO deleted FROM gone;
    RETURN deleted;
END
$$;
REVOKE ALL ON FUNCTION posthorn.delete_strays(timestamptz, integer) FROM PUBLIC;
