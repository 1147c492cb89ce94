-- What people see: the status of an event for each subscription. Derived from marks and rows, never stored per event.

-- Whether an event's transaction had ended when the snapshot was taken. Transaction ids of two eras do not compare, but
-- everything of an earlier era had ended. 1:1: is the snapshot before the beginning of the log: it sees nothing at all.
-- Plain expressions, here and below, so that the planner puts them in place of the call.
CREATE FUNCTION posthorn.is_visible(txid xid8, era integer, snapshot pg_snapshot, snapshot_era integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN pg_snapshot_xmax(snapshot) = '1'::xid8 THEN false
                      WHEN era < snapshot_era THEN true
                      WHEN era > snapshot_era THEN false
                      ELSE pg_visible_in_snapshot(txid, snapshot) END $$;

-- Whether a mark (a, b, upto) covers an event. floor: the last seq of the eras before the mark's own; an event up to
-- there belongs to the first window, whatever its txid says, and that window is walked by seq alone.
CREATE FUNCTION posthorn.is_covered(txid xid8, seq bigint, floor bigint, a pg_snapshot, b pg_snapshot, upto bigint)
    RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN seq <= floor THEN pg_snapshot_xmax(a) <> '1'::xid8 OR seq <= upto
                      ELSE pg_visible_in_snapshot(txid, a)
                           OR (pg_visible_in_snapshot(txid, b) AND seq <= upto) END $$;

-- Whether a lane has settled an event: its mark covers it, or, in the first window after a move to another cluster, its
-- mark there did. What lies beyond the greatest seq it ever read there was not settled, whatever its txid. m, o: rows
-- of lane_effective and lane_drain (or null).
CREATE FUNCTION posthorn.is_settled(txid xid8, seq bigint, floor bigint, m posthorn.lane_effective, o posthorn.lane_drain)
    RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT posthorn.is_covered(txid, seq, floor, (m).a, (m).b, (m).seq)
              OR coalesce(pg_snapshot_xmax((m).a) = '1'::xid8 AND seq <= (o).read_seq
                          AND posthorn.is_covered(txid, seq, (o).floor_seq, (o).a, (o).b, (o).seq), false) $$;

-- Whether a lane has handed an event to its sink: the high-water reaches it.
CREATE FUNCTION posthorn.is_handed_over(txid xid8, seq bigint, floor bigint, m posthorn.lane_effective) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT posthorn.is_covered(
              txid, seq, floor, coalesce((m).high_a, (m).a), coalesce((m).high_b, (m).b), (m).high_seq) $$;

-- Whether a generation's filter wants an event. Patterns are LIKE patterns; an empty array wants all. An event without
-- headers has null.
CREATE FUNCTION posthorn.is_wanted(
        g posthorn.generation, type text, aggregate_type text, source text, headers jsonb)
    RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT coalesce(((g).types = '{}' OR type LIKE ANY ((g).types))
                      AND ((g).aggregate_types = '{}' OR aggregate_type LIKE ANY ((g).aggregate_types))
                      AND ((g).sources = '{}' OR source LIKE ANY ((g).sources))
                      AND ((g).headers = '{}' OR headers @> (g).headers), false) $$;

-- When a lane had settled an event, by the first receipt that covers it: its own, or one of a front that it rode with.
-- Null if neither is kept. Of fronts at most 5,000 rows are looked at that cover the event: a lane that is not soon
-- among those has got off and has a receipt of its own, or none. With settings, so that it stays a call that walks by time:
-- nothing tells the planner how soon it ends.
CREATE FUNCTION posthorn.receipt_time(lane bigint, txid xid8, seq bigint, written_era integer, created_at timestamptz)
    RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    SET enable_seqscan = off
    SET enable_bitmapscan = off
    SET enable_sort = off
    AS $$
WITH own AS MATERIALIZED (
    SELECT r.settled_at FROM posthorn.receipt r JOIN posthorn.era ON era.number = r.era
     WHERE r.lane_id = receipt_time.lane AND r.settled_at >= receipt_time.created_at
       AND r.era >= receipt_time.written_era
       AND posthorn.is_covered(receipt_time.txid, receipt_time.seq, era.floor_seq, r.a, r.b, r.seq)
     ORDER BY r.settled_at LIMIT 1)
SELECT least((SELECT settled_at FROM own), (
    SELECT past.settled_at
      FROM (SELECT f.lanes, f.settled_at FROM posthorn.front_receipt f
             WHERE f.settled_at >= receipt_time.created_at
               AND f.settled_at < coalesce((SELECT settled_at FROM own), 'infinity')
               AND f.era >= receipt_time.written_era
               AND posthorn.is_covered(
                       receipt_time.txid, receipt_time.seq, (SELECT floor_seq FROM posthorn.era WHERE number = f.era),
                       f.a, f.b, f.seq)
             ORDER BY f.settled_at LIMIT 5000) past
     WHERE receipt_time.lane = ANY (past.lanes)
     ORDER BY past.settled_at LIMIT 1))
$$;

-- The subscriptions that may want events of a type, deleted ones among them: by one of their filters, whenever that was in
-- force. With settings, so that it stays a call: nothing tells the planner how few they are.
CREATE FUNCTION posthorn.may_want(type text) RETURNS TABLE (subscription_id bigint)
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
    SET search_path = pg_catalog, pg_temp
    SET enable_seqscan = off
    AS $$ SELECT g.subscription_id FROM posthorn.generation g
           WHERE g.types @> ARRAY[posthorn.like_literal(may_want.type)]
          UNION
          SELECT g.subscription_id FROM posthorn.generation g WHERE posthorn.has_pattern(g.types) $$;

-- One row per event and subscription that wants it; of a deleted subscription, one per event that it had delivered. No
-- row: its filter did not want the event when it came, or the subscription began after it. Quick by event_id or seq;
-- without either it looks at the whole log.
--   attempts: those begun, as far as known.
--   delivered_at: exact if the event ever had a row of its own, else the time of the first receipt that covers it,
--     which is at most a second late.
--   last_failed_at: when the failure was written down that error_class and error_message tell of.
--   last_status_at: since when the status is what it is. DELIVERED: as delivered_at. FAILED: when it last failed.
--     DISCARDED: when somebody discarded it. HELD, and PENDING with a row: when the row was last written. PENDING
--     without a row: when it was recorded. SENDING, which nobody writes down: when its lane last moved, or it was
--     recorded.
--   deleted_at: when the subscription was deleted; its name may be another's by now.
CREATE VIEW posthorn.event_status AS
SELECT e.id AS event_id, e.seq, e.source, e.type, e.key, s.name AS subscription, derived.status,
       CASE WHEN d.state IS NOT NULL THEN d.attempts
            WHEN l.id IS NOT NULL THEN l.attempts
            WHEN derived.status = 'PENDING' THEN 0
            ELSE coalesce((SELECT max(t.number) FROM posthorn.attempt t
                            WHERE t.subscription_id = s.id AND t.seq = e.seq), 1) END AS attempts,
       CASE WHEN derived.status = 'PENDING' THEN coalesce(d.due_at, e.deliver_at) END AS next_attempt_at,
       delivered.delivered_at,
       CASE WHEN d.state IS NOT NULL THEN d.error_class ELSE l.error_class END AS error_class,
       CASE WHEN d.state IS NOT NULL THEN d.error_message ELSE l.error_message END AS error_message,
       e.created_at,
       CASE WHEN d.state IS NOT NULL THEN d.failed_at ELSE l.last_failed_at END AS last_failed_at,
       CASE derived.status
            WHEN 'DISCARDED' THEN l.discarded_at
            WHEN 'FAILED' THEN l.last_failed_at
            WHEN 'DELIVERED' THEN delivered.delivered_at
            WHEN 'SENDING' THEN greatest(e.created_at, m.moved_at)
            ELSE coalesce(greatest(d.changed_at, d.failed_at, d.created_at), e.created_at) END AS last_status_at,
       NULL::timestamptz AS deleted_at
  FROM posthorn.event e
 CROSS JOIN posthorn.cluster c
 CROSS JOIN LATERAL (
       SELECT coalesce(max(era.number), -1) AS era FROM posthorn.era WHERE era.floor_seq < e.seq) written
 CROSS JOIN LATERAL ( -- those who wanted it, before anything else is looked up: the others may be many
       SELECT s.id, s.name, s.generation, g.number, g.lanes
         FROM posthorn.may_want(e.type) may
        CROSS JOIN LATERAL (SELECT * FROM posthorn.subscription s WHERE s.id = may.subscription_id OFFSET 0) s
        CROSS JOIN LATERAL ( -- the last generation that had begun when the event came: its filter was in force
              SELECT g AS its, g.number, g.lanes, g.era, g.start_b, g.since FROM posthorn.generation g
               WHERE g.subscription_id = s.id AND g.start_a IS NOT NULL
                 AND NOT posthorn.is_visible(e.txid, written.era, g.start_a, g.era)
               ORDER BY g.number DESC LIMIT 1) g
        WHERE posthorn.is_wanted(g.its, e.type, e.aggregate_type, e.source, e.headers)
          AND (g.since IS NULL OR e.created_at >= g.since
               OR NOT posthorn.is_visible(e.txid, written.era, g.start_b, g.era))
       OFFSET 0) s
  LEFT JOIN posthorn.lane n ON n.subscription_id = s.id AND n.generation = s.number
       AND n.index = posthorn.key_hash(e.key, e.id) % s.lanes
  LEFT JOIN LATERAL (
       SELECT m AS its, m.lane_id, m.moved_at FROM posthorn.lane_effective m WHERE m.lane_id = n.id OFFSET 0) m ON true
  LEFT JOIN posthorn.lane_drain o ON o.lane_id = n.id
  LEFT JOIN LATERAL ( -- after a change of generation the row belongs to another lane than the one that read the event
       SELECT d.* FROM posthorn.delivery d JOIN posthorn.lane dn ON dn.id = d.lane_id
        WHERE d.seq = e.seq AND dn.subscription_id = s.id LIMIT 1) d ON true
  LEFT JOIN LATERAL (
       SELECT l.* FROM posthorn.dead_letter l WHERE l.subscription_id = s.id AND l.seq = e.seq OFFSET 0) l ON true
 CROSS JOIN LATERAL (
       SELECT CASE WHEN d.state = 'HELD' THEN 'HELD'
                   WHEN d.state IS NOT NULL THEN 'PENDING'
                   WHEN l.discarded_at IS NOT NULL THEN 'DISCARDED'
                   WHEN l.id IS NOT NULL THEN 'FAILED'
                   WHEN s.number < s.generation THEN 'DELIVERED'
                   WHEN m.lane_id IS NULL THEN 'PENDING'
                   WHEN posthorn.is_settled(e.txid, e.seq, c.floor_seq, m.its, o) THEN 'DELIVERED'
                   WHEN posthorn.is_handed_over(e.txid, e.seq, c.floor_seq, m.its) THEN 'SENDING'
                   ELSE 'PENDING' END AS status
       OFFSET 0) derived -- OFFSET 0: worked out once per row, not once per column that needs it
 CROSS JOIN LATERAL ( -- worked out once for each column that needs it, and not at all if none does
       SELECT CASE WHEN derived.status = 'DELIVERED' THEN coalesce(
           (SELECT max(t.started_at + t.took_ms * interval '1 millisecond') FROM posthorn.attempt t
             WHERE t.subscription_id = s.id AND t.seq = e.seq AND t.outcome = 'DELIVERED'),
           posthorn.receipt_time(n.id, e.txid, e.seq, written.era, e.created_at)) END AS delivered_at) delivered
UNION ALL
-- Events that retention has dropped from the log and that still wait. (count = 0, not NOT EXISTS: the latter may become
-- a join that reads the whole log.)
SELECT k.id, k.seq, k.source, k.type, k.key, s.name,
       CASE WHEN d.state = 'HELD' THEN 'HELD' ELSE 'PENDING' END,
       d.attempts, d.due_at, NULL, d.error_class, d.error_message, k.created_at, d.failed_at,
       greatest(d.changed_at, d.failed_at, d.created_at), NULL
  FROM posthorn.kept_event k
  JOIN posthorn.delivery d ON d.seq = k.seq
  JOIN posthorn.lane n ON n.id = d.lane_id
  JOIN posthorn.subscription s ON s.id = n.subscription_id
 WHERE (SELECT count(*) FROM posthorn.event e WHERE e.seq = k.seq) = 0
   AND (SELECT count(*) FROM posthorn.dead_letter l WHERE l.subscription_id = s.id AND l.seq = k.seq) = 0
UNION ALL
-- Dead letters outlive the log.
SELECT l.event_id, l.seq, l.source, l.type, l.key, s.name,
       CASE WHEN d.state = 'HELD' THEN 'HELD' WHEN d.state IS NOT NULL THEN 'PENDING'
            WHEN l.discarded_at IS NOT NULL THEN 'DISCARDED' ELSE 'FAILED' END,
       coalesce(d.attempts, l.attempts), d.due_at, NULL,
       CASE WHEN d.state IS NOT NULL THEN d.error_class ELSE l.error_class END,
       CASE WHEN d.state IS NOT NULL THEN d.error_message ELSE l.error_message END,
       l.recorded_at,
       CASE WHEN d.state IS NOT NULL THEN d.failed_at ELSE l.last_failed_at END,
       CASE WHEN d.state IS NOT NULL THEN greatest(d.changed_at, d.failed_at, d.created_at)
            ELSE coalesce(l.discarded_at, l.last_failed_at) END,
       NULL
  FROM posthorn.dead_letter l
  JOIN posthorn.subscription s ON s.id = l.subscription_id
  LEFT JOIN LATERAL (
       SELECT d.* FROM posthorn.delivery d JOIN posthorn.lane dn ON dn.id = d.lane_id
        WHERE d.seq = l.seq AND dn.subscription_id = s.id LIMIT 1) d ON true
 WHERE (SELECT count(*) FROM posthorn.event e WHERE e.seq = l.seq) = 0
UNION ALL
-- What deleted subscriptions had delivered: by a lane's own receipts, the last of which is that of the mark which it had
-- in the end.
SELECT e.id, e.seq, e.source, e.type, e.key, s.name, 'DELIVERED',
       coalesce((SELECT max(t.number) FROM posthorn.attempt t
                  WHERE t.subscription_id = s.id AND t.seq = e.seq), 1),
       NULL, delivered.delivered_at, NULL, NULL, e.created_at, NULL, delivered.delivered_at, s.deleted_at
  FROM posthorn.event e
 CROSS JOIN LATERAL (
       SELECT coalesce(max(era.number), -1) AS era FROM posthorn.era WHERE era.floor_seq < e.seq) written
 CROSS JOIN LATERAL (
       SELECT s.id, s.name, s.generation, s.deleted_at, g.number, g.lanes
         FROM posthorn.may_want(e.type) may
         JOIN posthorn.deleted_subscription s ON s.id = may.subscription_id AND s.last_seq >= e.seq
        CROSS JOIN LATERAL (
              SELECT g AS its, g.number, g.lanes, g.era, g.start_b, g.since FROM posthorn.generation g
               WHERE g.subscription_id = s.id AND g.start_a IS NOT NULL
                 AND NOT posthorn.is_visible(e.txid, written.era, g.start_a, g.era)
               ORDER BY g.number DESC LIMIT 1) g
        WHERE posthorn.is_wanted(g.its, e.type, e.aggregate_type, e.source, e.headers)
          AND (g.since IS NULL OR e.created_at >= g.since
               OR NOT posthorn.is_visible(e.txid, written.era, g.start_b, g.era))
       OFFSET 0) s
  LEFT JOIN posthorn.lane n ON n.subscription_id = s.id AND n.generation = s.number
       AND n.index = posthorn.key_hash(e.key, e.id) % s.lanes
  LEFT JOIN LATERAL (
       SELECT true AS is_there FROM posthorn.receipt r JOIN posthorn.era ON era.number = r.era
        WHERE r.lane_id = n.id AND r.settled_at >= e.created_at AND r.era >= written.era
          AND posthorn.is_covered(e.txid, e.seq, era.floor_seq, r.a, r.b, r.seq)
        ORDER BY r.settled_at DESC LIMIT 1) r ON true
 CROSS JOIN LATERAL (
       SELECT coalesce((SELECT max(t.started_at + t.took_ms * interval '1 millisecond') FROM posthorn.attempt t
                         WHERE t.subscription_id = s.id AND t.seq = e.seq AND t.outcome = 'DELIVERED'),
                       posthorn.receipt_time(n.id, e.txid, e.seq, written.era, e.created_at)) AS delivered_at) delivered
 WHERE (s.number < s.generation OR r.is_there)
   AND (SELECT count(*) FROM posthorn.undelivered u WHERE u.subscription_id = s.id AND u.seq = e.seq) = 0;
