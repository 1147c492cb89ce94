-- A filter may also want headers.

-- headers: what an event must carry, each name with exactly that value. An empty object wants all.
ALTER TABLE posthorn.generation ADD COLUMN headers jsonb NOT NULL DEFAULT '{}';

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

-- As before, with the filter's headers. Replaced, not dropped and made anew, so that whoever may read it still may.
CREATE OR REPLACE VIEW posthorn.event_status AS
SELECT e.id AS event_id, e.seq, e.source, e.type, e.key, s.name AS subscription, derived.status,
       CASE WHEN d.state IS NOT NULL THEN d.attempts
            WHEN l.id IS NOT NULL THEN l.attempts
            WHEN derived.status = 'PENDING' THEN 0
            ELSE coalesce((SELECT max(t.number) FROM posthorn.attempt t
                            WHERE t.subscription_id = s.id AND t.seq = e.seq), 1) END AS attempts,
       CASE WHEN derived.status = 'PENDING' THEN coalesce(d.due_at, e.deliver_at) END AS next_attempt_at,
       CASE WHEN derived.status = 'DELIVERED' THEN coalesce(
           (SELECT max(t.started_at + t.took_ms * interval '1 millisecond') FROM posthorn.attempt t
             WHERE t.subscription_id = s.id AND t.seq = e.seq AND t.outcome = 'DELIVERED'),
           (SELECT r.settled_at FROM posthorn.receipt r JOIN posthorn.era ON era.number = r.era
             WHERE r.lane_id = n.id AND r.settled_at >= e.created_at AND r.era >= written.era
               AND posthorn.is_covered(e.txid, e.seq, era.floor_seq, r.a, r.b, r.seq)
             ORDER BY r.settled_at LIMIT 1)) END AS delivered_at,
       CASE WHEN d.state IS NOT NULL THEN d.error_class ELSE l.error_class END AS error_class,
       CASE WHEN d.state IS NOT NULL THEN d.error_message ELSE l.error_message END AS error_message,
       e.created_at
  FROM posthorn.event e
 CROSS JOIN posthorn.cluster c
 CROSS JOIN LATERAL (
       SELECT coalesce(max(era.number), -1) AS era FROM posthorn.era WHERE era.floor_seq < e.seq) written
 CROSS JOIN posthorn.subscription s
 CROSS JOIN LATERAL ( -- the last generation that had begun when the event came: its filter was in force
       SELECT g AS its, g.number, g.lanes, g.era, g.start_b, g.since FROM posthorn.generation g
        WHERE g.subscription_id = s.id AND g.start_a IS NOT NULL
          AND NOT posthorn.is_visible(e.txid, written.era, g.start_a, g.era)
        ORDER BY g.number DESC LIMIT 1) g
  LEFT JOIN posthorn.lane n ON n.subscription_id = s.id AND n.generation = g.number
       AND n.index = posthorn.key_hash(e.key, e.id) % g.lanes
  LEFT JOIN posthorn.lane_mark m ON m.lane_id = n.id
  LEFT JOIN posthorn.lane_drain o ON o.lane_id = n.id
  LEFT JOIN LATERAL ( -- after a change of generation the row belongs to another lane than the one that read the event
       SELECT d.* FROM posthorn.delivery d JOIN posthorn.lane dn ON dn.id = d.lane_id
        WHERE d.seq = e.seq AND dn.subscription_id = s.id LIMIT 1) d ON true
  LEFT JOIN posthorn.dead_letter l ON l.subscription_id = s.id AND l.seq = e.seq
 CROSS JOIN LATERAL (
       SELECT CASE WHEN d.state = 'HELD' THEN 'HELD'
                   WHEN d.state IS NOT NULL THEN 'PENDING'
                   WHEN l.discarded_at IS NOT NULL THEN 'DISCARDED'
                   WHEN l.id IS NOT NULL THEN 'FAILED'
                   WHEN g.number < s.generation THEN 'DELIVERED'
                   WHEN m.lane_id IS NULL THEN 'PENDING'
                   WHEN posthorn.is_settled(e.txid, e.seq, c.floor_seq, m, o) THEN 'DELIVERED'
                   WHEN posthorn.is_handed_over(e.txid, e.seq, c.floor_seq, m) THEN 'SENDING'
                   ELSE 'PENDING' END AS status
       OFFSET 0) derived -- OFFSET 0: worked out once per row, not once per column that needs it
 WHERE posthorn.is_wanted(g.its, e.type, e.aggregate_type, e.source, e.headers)
   AND (g.since IS NULL OR e.created_at >= g.since
        OR NOT posthorn.is_visible(e.txid, written.era, g.start_b, g.era))
UNION ALL
-- Events that retention has dropped from the log and that still wait. (count = 0, not NOT EXISTS: the latter may become a
-- join that reads the whole log.)
SELECT k.id, k.seq, k.source, k.type, k.key, s.name,
       CASE WHEN d.state = 'HELD' THEN 'HELD' ELSE 'PENDING' END,
       d.attempts, d.due_at, NULL, d.error_class, d.error_message, k.created_at
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
       l.recorded_at
  FROM posthorn.dead_letter l
  JOIN posthorn.subscription s ON s.id = l.subscription_id
  LEFT JOIN LATERAL (
       SELECT d.* FROM posthorn.delivery d JOIN posthorn.lane dn ON dn.id = d.lane_id
        WHERE d.seq = l.seq AND dn.subscription_id = s.id LIMIT 1) d ON true
 WHERE (SELECT count(*) FROM posthorn.event e WHERE e.seq = l.seq) = 0;

DROP FUNCTION posthorn.is_wanted(posthorn.generation, text, text, text);
