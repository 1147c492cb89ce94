-- What did not go well: rows exist only for events in trouble, and for what people ask to be done about them.

CREATE SEQUENCE posthorn.delivery_place AS bigint CACHE 1;

-- An event that waits for one subscription: to be sent again (WAITING), until its time has come (DEFERRED), or behind
-- an earlier event of its key (HELD). Touched by the lane's owner alone.
--   place: the order within the key.
--   dead_letter_id: the dead letter that is being sent again.
--   replay_id: the replay that the row belongs to; of a replay, only an event that may end the process that sends it
--     has a row.
--   unanswered: the last attempt was counted before it was made, and no answer was written since.
--   changed_at: when the row was last written, since when its event waits as it does.
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
    replay_id      bigint,
    unanswered     boolean     NOT NULL DEFAULT false,
    created_at     timestamptz NOT NULL DEFAULT posthorn.clock(),
    changed_at     timestamptz DEFAULT posthorn.clock(),
    PRIMARY KEY (lane_id, seq)
);
CREATE INDEX delivery_due ON posthorn.delivery (lane_id, due_at, place) WHERE state <> 'HELD';
-- By it a lane finds the held events of a key, and whether one of many keys is blocked: a lane keeps only so many of
-- them in mind. By hash, here and below, since a key may be longer than an index takes (2,704 bytes): its row could not
-- be written, and with it nothing of its lane. Whoever looks a key up compares the key too.
CREATE INDEX delivery_key ON posthorn.delivery (lane_id, hashtextextended(key, 0), state, place) WHERE key IS NOT NULL;
CREATE INDEX delivery_seq ON posthorn.delivery (seq);

-- Copies of events that delivery rows still need and retention has dropped from the log.
CREATE TABLE posthorn.kept_event (LIKE posthorn.event INCLUDING DEFAULTS, PRIMARY KEY (seq));
CREATE INDEX kept_event_id ON posthorn.kept_event (id);

-- An event that one subscription could not take: a full copy, so that retention never touches it. A discarded one stays
-- as the record of that.
--   incomplete: the database would not take a copy of the event, so the letter is a short record of it: its number and
--     its id, but neither payload nor headers and perhaps no key. Whoever needs the event itself has the log, while
--     that has it.
--   cause: the message without what differs from one event to the next.
--   holds_key: later events of its key wait until somebody deals with it.
--   purged_at: null unless it was purged. Then it has neither payload, headers, error nor attempts, and is in no list;
--     it stays discarded for as long as the log has the event, which would otherwise look delivered, or be sent again.
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
    incomplete      boolean     NOT NULL DEFAULT false,
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
    purged_at       timestamptz,
    UNIQUE (subscription_id, seq)
);
CREATE INDEX dead_letter_event ON posthorn.dead_letter (event_id);
CREATE INDEX dead_letter_time ON posthorn.dead_letter (subscription_id, last_failed_at, id);
-- The newest of all subscriptions together.
CREATE INDEX dead_letter_newest ON posthorn.dead_letter (last_failed_at, id);
-- The causes are counted in this index alone, and the letters of one are listed along it.
CREATE INDEX dead_letter_group ON posthorn.dead_letter (subscription_id, error_class, cause, last_failed_at, id)
    INCLUDE (first_failed_at) WHERE discarded_at IS NULL;
CREATE INDEX dead_letter_of_key ON posthorn.dead_letter (hashtextextended(key, 0), last_failed_at, id)
    WHERE key IS NOT NULL;
CREATE INDEX dead_letter_holding ON posthorn.dead_letter (subscription_id)
    WHERE holds_key AND discarded_at IS NULL;
CREATE INDEX dead_letter_purged ON posthorn.dead_letter (seq) WHERE purged_at IS NOT NULL;

-- What an operator wants others to know about the dead letters of one cause. It stays when they are gone: they may come
-- back.
CREATE TABLE posthorn.dead_letter_note (
    subscription_id bigint      NOT NULL REFERENCES posthorn.subscription ON DELETE CASCADE,
    error_class     text        NOT NULL,
    cause           text        NOT NULL,
    note            text        NOT NULL,
    noted_by        text        NOT NULL,
    noted_at        timestamptz NOT NULL DEFAULT posthorn.clock(),
    PRIMARY KEY (subscription_id, error_class, cause)
);

-- What was tried and what came back. No foreign key: a replay writes an attempt for each item, and checking each of
-- them cost more than writing it. Whoever deletes a subscription deletes its attempts; what is left of one that was
-- deleted otherwise goes by its age.
--   number: counted from 1.
--   reply_code: as the receiver's protocol has it, such as an HTTP status. reply: the beginning of what it said.
CREATE TABLE posthorn.attempt (
    subscription_id bigint      NOT NULL,
    seq             bigint      NOT NULL,
    number          integer     NOT NULL,
    started_at      timestamptz NOT NULL,
    took_ms         integer     NOT NULL,
    outcome         text        NOT NULL CHECK (outcome IN ('DELIVERED', 'RETRY', 'REJECT', 'UNAVAILABLE')),
    error_class     text,
    message         text,
    instance        text        NOT NULL,
    reply_code      integer,
    reply           text
);
CREATE INDEX attempt_event ON posthorn.attempt (subscription_id, seq, started_at);
CREATE INDEX attempt_time ON posthorn.attempt (started_at);
-- For want of a primary key, as for posthorn.receipt.
ALTER TABLE posthorn.attempt REPLICA IDENTITY FULL;

-- What somebody asks of a lane. Its owner carries it out and writes what happened. key and event_id say which lane.
CREATE TABLE posthorn.command (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription_id bigint      NOT NULL REFERENCES posthorn.subscription ON DELETE CASCADE,
    kind            text        NOT NULL CHECK (kind IN ('RELEASE', 'DISCARD', 'PURGE', 'DEFER')),
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
-- In the order in which a lane takes them: one to defer what is not read yet has to wait, and keeps no other waiting.
CREATE INDEX command_open ON posthorn.command (subscription_id, (kind = 'DEFER'), id) WHERE answered_at IS NULL;
CREATE INDEX command_answered ON posthorn.command (answered_at) WHERE answered_at IS NOT NULL;
CREATE TRIGGER command_asked AFTER INSERT ON posthorn.command
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION posthorn.tell_changed();
