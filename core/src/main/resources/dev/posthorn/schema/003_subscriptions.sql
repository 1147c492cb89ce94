-- What the relay remembers: subscriptions, their generations and lanes, who owns each lane and how far it is settled.

-- Who gets events.
--   revision: that of the document which said last what the filter and the lanes are to be; 0 if no document does. An
--     older one that comes late says nothing any more.
--   stop_at: the snapshot at which all lanes of this generation stop, because another one is wanted.
--   paused: nothing is read or sent. pause_reason: why, if nobody asked for it. paused_txid: the transaction that last
--     paused or resumed it, by which sessions say that they obey.
--   let_go_seq: events below it become dead letters instead of being sent, so that the log can be cut there.
--   max_attempts: null means unlimited.
CREATE TABLE posthorn.subscription (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name         text        NOT NULL UNIQUE COLLATE "C",
    revision     bigint      NOT NULL DEFAULT 0,
    generation   integer     NOT NULL DEFAULT 1,
    stop_at      pg_snapshot,
    paused       boolean     NOT NULL DEFAULT false,
    pause_reason text,
    paused_txid  xid8        NOT NULL DEFAULT pg_current_xact_id(),
    let_go_seq   bigint      NOT NULL DEFAULT 0,
    max_attempts integer,
    created_at   timestamptz NOT NULL DEFAULT posthorn.clock()
);

-- One row for each process that relays: its lease, on all the lanes that it owns. Renewed about once a second; one that
-- has expired is ended, that is deleted, by whoever comes by, and never renewed again. Touched by lease keepers alone.
--   id: random. Were it counted, a crash of the database could give it to another.
--   link: the connection on which its process now speaks. What the server still does for a former one takes no lane.
--   ttl: so that a clock that was set back keeps nobody's lanes for longer than ten times that.
--   obeys: all that was ordered up to this snapshot is obeyed: of a subscription that is paused in it nothing is on its
--     way, and nothing is sent until its process has seen it resumed.
CREATE TABLE posthorn.session (
    id         uuid        PRIMARY KEY,
    instance   text        NOT NULL,
    link       uuid        NOT NULL,
    ttl        interval    NOT NULL,
    expires_at timestamptz NOT NULL,
    obeys      pg_snapshot NOT NULL,
    started_at timestamptz NOT NULL DEFAULT posthorn.clock()
) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0);

-- Which session serves which subscription, those without a lane among them: sharing counts them all. Written when that
-- changes, and at no other time.
CREATE TABLE posthorn.served (
    subscription_id bigint NOT NULL REFERENCES posthorn.subscription ON DELETE CASCADE,
    session_id      uuid   NOT NULL REFERENCES posthorn.session ON DELETE CASCADE,
    PRIMARY KEY (subscription_id, session_id)
);
CREATE INDEX served_session ON posthorn.served (session_id, subscription_id);

-- What of a subscription has changed that whoever serves it must know, told by triggers, so that nobody can forget to:
-- each lease keeper asks for what was committed since its last look. Only ever appended to, so that no writer waits for
-- another; rows that every session has seen are deleted. No foreign key: that one is gone has to be told too.
CREATE TABLE posthorn.subscription_change (
    txid            xid8   NOT NULL DEFAULT pg_current_xact_id(),
    subscription_id bigint NOT NULL,
    PRIMARY KEY (txid, subscription_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- How many events a subscription may hand over now, if it has a rate. One row for all instances, made by the first
-- lease. Updated many times a second while events wait, so with room on its page.
--   tokens: what was left at refilled_at; what has come due since is added by the next lease.
--   granted: what the last lease was given.
CREATE TABLE posthorn.rate (
    subscription_id bigint           PRIMARY KEY REFERENCES posthorn.subscription ON DELETE CASCADE,
    tokens          double precision NOT NULL,
    granted         integer          NOT NULL,
    refilled_at     timestamptz      NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0);

-- A generation is a stretch of a subscription's life with one filter and one number of lanes. It has the events that
-- are not visible in its own start_a and are visible in the start_a of the next one; of the first, if since is given,
-- those visible in start_b only if written at or after that time. While it is only wanted, start_a is null and its
-- number is one above the subscription's; the next wish replaces or withdraws it. No foreign key: a deleted
-- subscription may leave it behind, see deleted_subscription.
--   types, aggregate_types, sources: LIKE patterns, sorted; an empty array wants all.
--   headers: what an event must carry, each name with exactly that value; an empty object wants all.
--   filter_known: false if nobody knows the filter, until an instance says what it is.
--   change: what lanes stand still for while the generation is only wanted. One that is wanted after it was withdrawn
--     has another. Random, because a number could be given out again after a crash.
CREATE TABLE posthorn.generation (
    subscription_id bigint      NOT NULL,
    number          integer     NOT NULL,
    lanes           integer     NOT NULL CHECK (lanes BETWEEN 1 AND 256),
    types           text[]      NOT NULL DEFAULT '{}',
    aggregate_types text[]      NOT NULL DEFAULT '{}',
    sources         text[]      NOT NULL DEFAULT '{}',
    headers         jsonb       NOT NULL DEFAULT '{}',
    filter_known    boolean     NOT NULL DEFAULT true,
    change          uuid        NOT NULL DEFAULT gen_random_uuid(),
    era             integer,
    start_a         pg_snapshot,
    start_b         pg_snapshot,
    since           timestamptz,
    PRIMARY KEY (subscription_id, number)
);

-- A text as a LIKE pattern that matches it alone: what a filter has stored that names the text without a *.
CREATE FUNCTION posthorn.like_literal(literal text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT replace(replace(replace(literal, '\', '\\'), '%', '\%'), '_', '\_') $$;

-- Whether a filter of types wants some that it does not name.
CREATE FUNCTION posthorn.has_pattern(types text[]) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT types = '{}' OR EXISTS (SELECT FROM unnest(types) t WHERE strpos(t, '%') > 0) $$;

-- By these two it is found who may want an event of a type, without a look at everybody else's filter.
CREATE INDEX generation_types ON posthorn.generation USING gin (types) WITH (fastupdate = off);
CREATE INDEX generation_pattern ON posthorn.generation (subscription_id) WHERE posthorn.has_pattern(types);

-- A share of a subscription's keys. No foreign key, for the same reason.
--   since: in its first window only events written at or after this time count.
CREATE TABLE posthorn.lane (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription_id bigint      NOT NULL,
    generation      integer     NOT NULL,
    index           integer     NOT NULL,
    since           timestamptz,
    UNIQUE (subscription_id, generation, index)
);

-- Who owns a lane: a session that is there. A session that is not there any more owned it until it ended by force; none
-- at all: it was given up. Touched by lease keepers alone, and only when that changes.
CREATE TABLE posthorn.lane_owner (
    lane_id    bigint PRIMARY KEY REFERENCES posthorn.lane ON DELETE CASCADE,
    epoch      bigint NOT NULL DEFAULT 0,
    session_id uuid
) WITH (fillfactor = 50);
CREATE INDEX lane_owner_session ON posthorn.lane_owner (session_id);

-- Where the lanes stand that ride together: a worker reads the end of the log once for all of them, and one row says how
-- far all of them are settled. One row per worker and connection; ended for good when its connection or session is gone,
-- it lives while a lane refers to it. Touched by its worker alone, and as often as a mark, so as narrow as one.
--   id: random, for the same reason as a session's.
--   session_id: whose. No foreign key: a session may be gone long before the lanes have got off.
--   a, b, seq, read_seq, turn, moved_at: as of a mark.
--   ended: it moves no more and no lane gets on.
CREATE TABLE posthorn.front (
    id         uuid        PRIMARY KEY,
    session_id uuid        NOT NULL,
    a          pg_snapshot NOT NULL,
    b          pg_snapshot NOT NULL,
    seq        bigint      NOT NULL DEFAULT 0,
    read_seq   bigint      NOT NULL DEFAULT 0,
    turn       bigint      NOT NULL,
    moved_at   timestamptz NOT NULL DEFAULT posthorn.clock(),
    ended      boolean     NOT NULL DEFAULT false
) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0);

-- How far a lane is settled: an event is settled iff it is visible in a, or visible in b with its seq at most seq.
-- Updated thousands of times, hence narrow, with room on its page, and vacuumed early.
--   high_*: how far events were handed to the sink; null snapshots mean the mark's own.
--   read_seq: greatest seq ever read.
--   turn: the number of the last settle, so that one whose answer was lost is not done twice.
--   row_seq: the greatest seq that ever got a row or a dead letter: whoever reads again beyond it need not look.
--   moved_at: when the mark last moved.
--   takeovers: how often the lane changed hands by force since it last worked undisturbed.
--   parked_for: the change for which the lane stands still at the end of a window and waits for stop_at. It says
--     nothing about any other change: by then the lane may have read on.
--   front: with which it rides; null: it stands by itself. While it rides its own position is where it got on, and only
--     the front's worker writes this row. No foreign key: to get on must not lock the front.
CREATE TABLE posthorn.lane_mark (
    lane_id    bigint      PRIMARY KEY REFERENCES posthorn.lane ON DELETE CASCADE,
    epoch      bigint      NOT NULL DEFAULT 0,
    a          pg_snapshot NOT NULL,
    b          pg_snapshot NOT NULL,
    seq        bigint      NOT NULL DEFAULT 0,
    high_a     pg_snapshot,
    high_b     pg_snapshot,
    high_seq   bigint      NOT NULL DEFAULT 0,
    read_seq   bigint      NOT NULL DEFAULT 0,
    turn       bigint      NOT NULL DEFAULT 0,
    row_seq    bigint      NOT NULL DEFAULT 0,
    moved_at   timestamptz NOT NULL DEFAULT posthorn.clock(),
    takeovers  integer     NOT NULL DEFAULT 0,
    parked_for uuid,
    front      uuid
) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0);
CREATE INDEX lane_mark_front ON posthorn.lane_mark (front) WHERE front IS NOT NULL;

-- Where each lane stands: by itself, or where its front does. Whoever only wants to know a mark asks here, and need not
-- know where it is kept. Of a lane that rides nothing counts as handed over that is not settled. If its front were lost,
-- it would stand where it got on: what it settled since would come again, and nothing would be missed.
CREATE VIEW posthorn.lane_effective AS
SELECT m.lane_id, m.epoch, coalesce(f.a, m.a) AS a, coalesce(f.b, m.b) AS b, coalesce(f.seq, m.seq) AS seq,
       CASE WHEN m.front IS NULL THEN m.high_a END AS high_a, CASE WHEN m.front IS NULL THEN m.high_b END AS high_b,
       CASE WHEN m.front IS NULL THEN m.high_seq ELSE coalesce(f.seq, m.seq) END AS high_seq,
       greatest(m.read_seq, f.read_seq) AS read_seq, m.turn, m.row_seq, coalesce(f.moved_at, m.moved_at) AS moved_at,
       m.takeovers, m.parked_for, m.front
  FROM posthorn.lane_mark m
  LEFT JOIN posthorn.front f ON f.id = m.front;

-- The marks that there are: one for each lane that stands by itself, and one for each front that a lane rides with. For
-- whoever asks about all lanes at once, of which most ride.
CREATE VIEW posthorn.mark AS
SELECT m.a, m.b, m.seq, m.read_seq
  FROM posthorn.lane_mark m
 WHERE m.front IS NULL OR m.front NOT IN (SELECT f.id FROM posthorn.front f)
UNION ALL
SELECT f.a, f.b, f.seq, f.read_seq
  FROM posthorn.front f
 WHERE EXISTS (SELECT FROM posthorn.lane_mark m WHERE m.front = f.id);

-- After a move to another cluster: what the lane's mark was there. Its first window is then every event up to to_seq
-- that this older mark does not settle. Of no meaning once that window is settled.
CREATE TABLE posthorn.lane_drain (
    lane_id   bigint      PRIMARY KEY REFERENCES posthorn.lane ON DELETE CASCADE,
    a         pg_snapshot NOT NULL,
    b         pg_snapshot NOT NULL,
    seq       bigint      NOT NULL,
    read_seq  bigint      NOT NULL,
    floor_seq bigint      NOT NULL,
    to_seq    bigint      NOT NULL
);

-- What a lane's owner knows and others want to see; written at most once a second, and when the breaker changes.
--   denial_*: since when the lane's receiver has answered and refused everything, and what it said last; null while it
--     does not. An heir of the lane begins as its former owner left it.
CREATE TABLE posthorn.lane_gauge (
    lane_id        bigint      PRIMARY KEY REFERENCES posthorn.lane ON DELETE CASCADE,
    breaker_since  timestamptz,
    breaker_reason text,
    blocked_keys   integer     NOT NULL DEFAULT 0,
    denial_since   timestamptz,
    denial_reason  text,
    updated_at     timestamptz NOT NULL DEFAULT posthorn.clock()
) WITH (fillfactor = 50);

-- A lane's progress over time, at most one row a second; and one where it stood when its generation or its subscription
-- ended, which is its last.
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
-- Without a primary key, a table that is published could not be deleted from.
ALTER TABLE posthorn.receipt REPLICA IDENTITY FULL;

-- The same of lanes that ride: one row a second and front for all of them that have delivered. In a table of its own,
-- because a lane's own receipts are found by the lane and these by their time: an index of the lanes in them would be
-- written to 300 times a second where 300 deliver, and made a row of 1 kB cost 100 kB of WAL. So a lane may be gone that
-- is named here.
--   lanes, counts: which, and how many events of each.
CREATE TABLE posthorn.front_receipt (
    era        integer     NOT NULL,
    a          pg_snapshot NOT NULL,
    b          pg_snapshot NOT NULL,
    seq        bigint      NOT NULL,
    lanes      bigint[]    NOT NULL,
    counts     bigint[]    NOT NULL CHECK (cardinality(counts) = cardinality(lanes)),
    settled_at timestamptz NOT NULL DEFAULT posthorn.clock()
);
CREATE INDEX front_receipt_at ON posthorn.front_receipt (settled_at);
-- For want of a primary key, as for posthorn.receipt.
ALTER TABLE posthorn.front_receipt REPLICA IDENTITY FULL;

-- What a subscription had delivered is still told of its events when it is deleted, for as long as they are kept. Its
-- generations, its lanes and their receipts stay under the id that it had; its marks do not, so that it holds nothing
-- and nobody serves it. All of it goes when the log has no event up to last_seq any more.
--   generation: its last one.
--   last_seq: the last seq given out before; no event beyond was delivered to it.
CREATE TABLE posthorn.deleted_subscription (
    id         bigint      PRIMARY KEY,
    name       text        NOT NULL COLLATE "C",
    generation integer     NOT NULL,
    last_seq   bigint      NOT NULL,
    deleted_at timestamptz NOT NULL DEFAULT posthorn.clock()
);

-- Events that still waited for it, or were its dead letters: a mark had passed them, and they were not delivered.
CREATE TABLE posthorn.undelivered (
    subscription_id bigint NOT NULL REFERENCES posthorn.deleted_subscription ON DELETE CASCADE,
    seq             bigint NOT NULL,
    PRIMARY KEY (subscription_id, seq)
);

-- Lanes and generations go with their subscription, unless it is remembered.
CREATE FUNCTION posthorn.delete_unless_remembered() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM posthorn.deleted_subscription d WHERE d.id = OLD.id) THEN
        DELETE FROM posthorn.lane n WHERE n.subscription_id = OLD.id;
        DELETE FROM posthorn.generation g WHERE g.subscription_id = OLD.id;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER subscription_deleted AFTER DELETE ON posthorn.subscription
    FOR EACH ROW EXECUTE FUNCTION posthorn.delete_unless_remembered();

-- Tells which subscriptions a statement has changed something of; the trigger calls its rows "changed".
CREATE FUNCTION posthorn.tell_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    INSERT INTO posthorn.subscription_change (subscription_id) SELECT DISTINCT c.subscription_id FROM changed c
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER generation_made AFTER INSERT ON posthorn.generation
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION posthorn.tell_changed();
CREATE TRIGGER generation_changed AFTER UPDATE ON posthorn.generation
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION posthorn.tell_changed();
CREATE TRIGGER generation_withdrawn AFTER DELETE ON posthorn.generation
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION posthorn.tell_changed();
CREATE TRIGGER served_begun AFTER INSERT ON posthorn.served
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION posthorn.tell_changed();
CREATE TRIGGER served_ended AFTER DELETE ON posthorn.served
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION posthorn.tell_changed();

CREATE FUNCTION posthorn.tell_subscription() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    INSERT INTO posthorn.subscription_change (subscription_id) VALUES (OLD.id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER subscription_told AFTER UPDATE ON posthorn.subscription FOR EACH ROW
    WHEN ((OLD.paused, OLD.stop_at::text, OLD.generation, OLD.let_go_seq, OLD.revision)
          IS DISTINCT FROM (NEW.paused, NEW.stop_at::text, NEW.generation, NEW.let_go_seq, NEW.revision))
    EXECUTE FUNCTION posthorn.tell_subscription();
CREATE TRIGGER subscription_gone AFTER DELETE ON posthorn.subscription FOR EACH ROW
    EXECUTE FUNCTION posthorn.tell_subscription();

CREATE FUNCTION posthorn.note_pause() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    NEW.paused_txid := pg_current_xact_id();
    RETURN NEW;
END
$$;
CREATE TRIGGER subscription_paused BEFORE UPDATE ON posthorn.subscription FOR EACH ROW
    WHEN (OLD.paused IS DISTINCT FROM NEW.paused) EXECUTE FUNCTION posthorn.note_pause();
