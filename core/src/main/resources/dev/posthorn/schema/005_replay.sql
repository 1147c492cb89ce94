-- What somebody asked to be sent again: dead letters, or events of the log that were delivered.

-- state: RUNNING; WAITING_FOR_GO: its first items are done and somebody has to say whether the others may go; PAUSED;
-- CANCELLED; FINISHED. A limit that is null limits nothing.
--   state_reason: why it is in this state, if that is not what was asked for.
--   selection: what was asked for, for people to read; the set itself are the items.
--   canary: how many go first; trying: no others may go yet.
--   resumed_*: what had failed and been delivered when somebody last resumed it; the failure rate is of what came
--     after.
CREATE TABLE posthorn.replay (
    id                   bigint           GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state                text             NOT NULL DEFAULT 'RUNNING'
                         CHECK (state IN ('RUNNING', 'WAITING_FOR_GO', 'PAUSED', 'CANCELLED', 'FINISHED')),
    state_reason         text,
    selection            jsonb            NOT NULL,
    requested            bigint           NOT NULL DEFAULT 0,
    rate_per_second      double precision CHECK (rate_per_second > 0),
    max_in_flight        integer          CHECK (max_in_flight > 0),
    canary               integer          CHECK (canary > 0),
    canary_goes_on       boolean          NOT NULL DEFAULT false,
    trying               boolean          NOT NULL DEFAULT false,
    stop_at_failure_rate double precision CHECK (stop_at_failure_rate BETWEEN 0 AND 1),
    resumed_failed       bigint           NOT NULL DEFAULT 0,
    resumed_delivered    bigint           NOT NULL DEFAULT 0,
    requested_by         text             NOT NULL,
    reason               text,
    requested_at         timestamptz      NOT NULL DEFAULT posthorn.clock(),
    ended_at             timestamptz      CHECK ((ended_at IS NULL) = (state NOT IN ('CANCELLED', 'FINISHED')))
);
CREATE INDEX replay_open ON posthorn.replay (id) WHERE ended_at IS NULL;

-- The subscriptions that a replay is for, and how many items of each. name: as it was then, since a subscription may
-- go.
CREATE TABLE posthorn.replay_subscription (
    replay_id       bigint NOT NULL REFERENCES posthorn.replay ON DELETE CASCADE,
    subscription_id bigint NOT NULL,
    name            text   NOT NULL,
    requested       bigint NOT NULL,
    PRIMARY KEY (replay_id, subscription_id)
);
CREATE INDEX replay_subscription_of ON posthorn.replay_subscription (subscription_id);
CREATE TRIGGER replay_asked AFTER INSERT ON posthorn.replay_subscription
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION posthorn.tell_changed();

-- What lanes must know of a replay that was changed.
CREATE FUNCTION posthorn.tell_replay() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    INSERT INTO posthorn.subscription_change (subscription_id)
    SELECT s.subscription_id FROM posthorn.replay_subscription s WHERE s.replay_id = NEW.id
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER replay_told AFTER UPDATE ON posthorn.replay FOR EACH ROW
    WHEN ((OLD.state, OLD.rate_per_second, OLD.max_in_flight, OLD.trying)
          IS DISTINCT FROM (NEW.state, NEW.rate_per_second, NEW.max_in_flight, NEW.trying))
    EXECUTE FUNCTION posthorn.tell_replay();

-- The set of a replay, frozen when it was asked for. A delivered item is deleted and counted; what failed or was
-- skipped stays and says why. Touched by the lane's owner, and by whoever cancels. No foreign key, because there may be
-- a million.
--   key_hash: says which lane.
--   dead_letter_id: null if the event is taken from the log.
CREATE TABLE posthorn.replay_item (
    replay_id       bigint  NOT NULL,
    subscription_id bigint  NOT NULL,
    seq             bigint  NOT NULL,
    event_id        uuid    NOT NULL,
    key_hash        bigint  NOT NULL,
    dead_letter_id  bigint,
    canary          boolean NOT NULL DEFAULT false,
    state           text    NOT NULL CHECK (state IN ('PENDING', 'FAILED', 'SKIPPED')),
    reason          text    CHECK ((reason IS NULL) = (state = 'PENDING')),
    message         text,
    ended_at        timestamptz CHECK ((ended_at IS NULL) = (state = 'PENDING'))
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX replay_item_pending ON posthorn.replay_item (replay_id, subscription_id, seq) WHERE state = 'PENDING';
CREATE INDEX replay_item_ended ON posthorn.replay_item (replay_id, subscription_id, seq) WHERE state <> 'PENDING';
-- No event is in two replays to one subscription at a time.
CREATE UNIQUE INDEX replay_item_once ON posthorn.replay_item (subscription_id, seq) WHERE state = 'PENDING';
-- Retention must not cut off what is still to be read from the log.
CREATE INDEX replay_item_history ON posthorn.replay_item (seq) WHERE state = 'PENDING' AND dead_letter_id IS NULL;
-- For want of a primary key, as for posthorn.receipt.
ALTER TABLE posthorn.replay_item REPLICA IDENTITY FULL;

-- How many items each lane has delivered. A row per lane, so that lanes do not wait for each other.
CREATE TABLE posthorn.replay_delivered (
    replay_id bigint NOT NULL REFERENCES posthorn.replay ON DELETE CASCADE,
    lane_id   bigint NOT NULL,
    count     bigint NOT NULL,
    PRIMARY KEY (replay_id, lane_id)
) WITH (fillfactor = 50);

-- How many items may go now, if the replay has a rate: as posthorn.rate for a subscription.
CREATE TABLE posthorn.replay_rate (
    replay_id   bigint           PRIMARY KEY REFERENCES posthorn.replay ON DELETE CASCADE,
    tokens      double precision NOT NULL,
    granted     integer          NOT NULL,
    refilled_at timestamptz      NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0);
