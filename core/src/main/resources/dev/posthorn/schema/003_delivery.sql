-- What did not go well: rows exist only for events in trouble, and for what people ask to be done about them.

-- A generation is a stretch of a subscription's life with one filter and one number of lanes. It has the events that
-- are not visible in its own start_a and are visible in the start_a of the next one; of the first, if since is given,
-- those visible in start_b only if written at or after that time. start_a is null while the generation is only wanted:
-- its number is then one above the subscription's. Patterns are LIKE patterns, sorted; an empty array wants all.
-- filter_known: false for what an older version left, until an instance says what the filter was.
CREATE TABLE posthorn.generation (
    subscription_id bigint      NOT NULL REFERENCES posthorn.subscription ON DELETE CASCADE,
    number          integer     NOT NULL,
    lanes           integer     NOT NULL CHECK (lanes BETWEEN 1 AND 256),
    types           text[]      NOT NULL DEFAULT '{}',
    aggregate_types text[]      NOT NULL DEFAULT '{}',
    sources         text[]      NOT NULL DEFAULT '{}',
    filter_known    boolean     NOT NULL DEFAULT true,
    era             integer,
    start_a         pg_snapshot,
    start_b         pg_snapshot,
    since           timestamptz,
    PRIMARY KEY (subscription_id, number)
);

-- An older version stored no filter: whatever its instances wanted goes on to count, so the first one to start tells.
INSERT INTO posthorn.generation (subscription_id, number, lanes, filter_known, era, start_a, start_b)
SELECT s.id, s.generation, s.lanes, false, c.era, '1:1:', '1:1:'
  FROM posthorn.subscription s CROSS JOIN posthorn.cluster c;
INSERT INTO posthorn.generation (subscription_id, number, lanes, filter_known)
SELECT id, generation + 1, pending_lanes, false FROM posthorn.subscription WHERE pending_lanes IS NOT NULL;
ALTER TABLE posthorn.subscription DROP COLUMN lanes, DROP COLUMN pending_lanes;

-- The last seq before each era. xids of one era do not compare with those of another.
CREATE TABLE posthorn.era (
    number    integer PRIMARY KEY,
    floor_seq bigint  NOT NULL
);
INSERT INTO posthorn.era SELECT era, floor_seq FROM posthorn.cluster;

-- paused: nothing is read or sent. let_go_seq: events below it become dead letters instead of being sent, so that the
-- log can be cut there. max_attempts: null means unlimited.
ALTER TABLE posthorn.subscription
    ADD COLUMN paused       boolean NOT NULL DEFAULT false,
    ADD COLUMN let_go_seq   bigint  NOT NULL DEFAULT 0,
    ADD COLUMN max_attempts integer;

-- turn: the number of the last settle, so that one whose answer was lost is not done twice. row_seq: the greatest seq
-- that ever got a row or a dead letter: whoever reads again beyond it need not look. moved_at: when the mark last moved.
-- takeovers: how often the lane changed hands by force since it last worked undisturbed.
ALTER TABLE posthorn.lane_mark
    ADD COLUMN turn      bigint      NOT NULL DEFAULT 0,
    ADD COLUMN row_seq   bigint      NOT NULL DEFAULT 0,
    ADD COLUMN moved_at  timestamptz NOT NULL DEFAULT posthorn.clock(),
    ADD COLUMN takeovers integer     NOT NULL DEFAULT 0;

-- What a lane's owner knows and others want to see; written at most once a second, and when the breaker changes.
CREATE TABLE posthorn.lane_gauge (
    lane_id        bigint  PRIMARY KEY REFERENCES posthorn.lane ON DELETE CASCADE,
    breaker_since  timestamptz,
    breaker_reason text,
    blocked_keys   integer NOT NULL DEFAULT 0,
    updated_at     timestamptz NOT NULL DEFAULT posthorn.clock()
) WITH (fillfactor = 50);

-- An event that waits for one subscription: to be sent again (WAITING), until its time has come (DEFERRED), or behind
-- an earlier event of its key (HELD). place: the order within the key. dead_letter_id: the dead letter that is being
-- sent again. unanswered: the last attempt was counted before it was made, and no answer was written since. Touched by
-- the lane's owner alone.
CREATE SEQUENCE posthorn.delivery_place AS bigint CACHE 1;
CREATE TABLE posthorn.delivery (
    lane_id        bigint      NOT NULL REFERENCES posthorn.lane ON DELETE CASCADE,
    seq            bigint      NOT NULL,
    event_id       uuid        NOT NULL,
    key            text        COLLATE "C",
    place          bigint      NOT NULL DEFAULT nextval('posthorn.delivery_place'),
    state          text        NOT NULL CHECK (state IN ('WAITING', 'DEFERRED', 'HELD')),
    attempts       integer     NOT NULL DEFAULT 0,
    due_at         timestamptz CHECK ((due_at IS NULL) = (state = 'HELD')),
    error_class    text,
    error_message  text,
    failed_at      timestamptz,
    dead_letter_id bigint,
    unanswered     boolean     NOT NULL DEFAULT false,
    created_at     timestamptz NOT NULL DEFAULT posthorn.clock(),
    PRIMARY KEY (lane_id, seq)
);
CREATE INDEX delivery_due ON posthorn.delivery (lane_id, due_at, place) WHERE state <> 'HELD';
CREATE INDEX delivery_held ON posthorn.delivery (lane_id, key, place) WHERE state = 'HELD';
CREATE INDEX delivery_seq ON posthorn.delivery (seq);

-- Copies of events that delivery rows still need and retention has dropped from the log.
CREATE TABLE posthorn.kept_event (LIKE posthorn.event INCLUDING DEFAULTS);
ALTER TABLE posthorn.kept_event ADD PRIMARY KEY (seq);

-- An event that one subscription could not take: a full copy, so that retention never touches it. cause: the message
-- without what differs from one event to the next. holds_key: later events of its key wait until somebody deals with
-- it. A discarded one stays as the record of that.
CREATE TABLE posthorn.dead_letter (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription_id bigint      NOT NULL REFERENCES posthorn.subscription ON DELETE CASCADE,
    txid            xid8        NOT NULL,
    seq             bigint      NOT NULL,
    event_id        uuid        NOT NULL,
    source_id       text,
    source          text        NOT NULL COLLATE "C",
    type            text        NOT NULL COLLATE "C",
    version         integer     NOT NULL,
    aggregate_type  text        COLLATE "C",
    key             text        COLLATE "C",
    content_type    text        NOT NULL,
    payload         bytea       NOT NULL,
    headers         jsonb,
    occurred_at     timestamptz NOT NULL,
    recorded_at     timestamptz NOT NULL,
    deliver_at      timestamptz,
    attempts        integer     NOT NULL,
    error_class     text        NOT NULL,
    error_message   text        NOT NULL,
    cause           text        NOT NULL,
    first_failed_at timestamptz NOT NULL,
    last_failed_at  timestamptz NOT NULL,
    holds_key       boolean     NOT NULL,
    replays         integer     NOT NULL DEFAULT 0,
    discarded_at    timestamptz,
    discarded_by    text,
    discard_reason  text,
    UNIQUE (subscription_id, seq)
);
CREATE INDEX dead_letter_event ON posthorn.dead_letter (event_id);
CREATE INDEX dead_letter_time ON posthorn.dead_letter (subscription_id, last_failed_at, id);
CREATE INDEX dead_letter_key ON posthorn.dead_letter (subscription_id, key, seq);
CREATE INDEX dead_letter_cause ON posthorn.dead_letter (subscription_id, error_class, cause);
CREATE INDEX dead_letter_holding ON posthorn.dead_letter (subscription_id)
    WHERE holds_key AND discarded_at IS NULL;

-- What was tried and what came back. number: counted from 1.
CREATE TABLE posthorn.attempt (
    subscription_id bigint      NOT NULL REFERENCES posthorn.subscription ON DELETE CASCADE,
    seq             bigint      NOT NULL,
    number          integer     NOT NULL,
    started_at      timestamptz NOT NULL,
    took_ms         integer     NOT NULL,
    outcome         text        NOT NULL CHECK (outcome IN ('DELIVERED', 'RETRY', 'REJECT', 'UNAVAILABLE')),
    error_class     text,
    message         text,
    instance        text        NOT NULL
);
CREATE INDEX attempt_event ON posthorn.attempt (subscription_id, seq, started_at);
CREATE INDEX attempt_time ON posthorn.attempt (started_at);

-- What somebody asks of a lane. Its owner carries it out and writes what happened. key and event_id say which lane.
CREATE TABLE posthorn.command (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription_id bigint      NOT NULL REFERENCES posthorn.subscription ON DELETE CASCADE,
    kind            text        NOT NULL CHECK (kind IN ('REPLAY', 'REPLAY_KEY', 'RELEASE', 'DISCARD', 'DEFER')),
    key             text        COLLATE "C",
    event_id        uuid        NOT NULL,
    seq             bigint      NOT NULL,
    due_at          timestamptz CHECK ((due_at IS NULL) = (kind <> 'DEFER')),
    requested_by    text        NOT NULL,
    reason          text,
    requested_at    timestamptz NOT NULL DEFAULT posthorn.clock(),
    answered_at     timestamptz,
    answer          text
);
CREATE INDEX command_open ON posthorn.command (subscription_id, id) WHERE answered_at IS NULL;
CREATE INDEX command_answered ON posthorn.command (answered_at) WHERE answered_at IS NOT NULL;
