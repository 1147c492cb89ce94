-- What the hub keeps beside the log: event types, subscriptions as they were asked for, and who may call.

-- Counts the changes of each kind of thing, so that every instance notices soon that it has to read them again.
CREATE TABLE posthorn.hub_change (
    topic  text   PRIMARY KEY CHECK (topic IN ('event-types', 'subscriptions', 'guards', 'keys')),
    number bigint NOT NULL DEFAULT 0
);
INSERT INTO posthorn.hub_change (topic) VALUES ('event-types'), ('subscriptions'), ('guards'), ('keys');

-- Of which documents the counts tell, so that nobody has to read the others. One whose own last count stands here has
-- seen everything before it; one whose does not (a fail-over has lost it, or it is long ago) reads all. Those of an hour
-- are kept, and the last.
CREATE TABLE posthorn.hub_change_log (
    topic      text        NOT NULL,
    number     bigint      NOT NULL,
    names      text[]      NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT posthorn.clock(),
    PRIMARY KEY (topic, number)
);
CREATE INDEX hub_change_log_age ON posthorn.hub_change_log (changed_at);

-- What is known about a type, and what events of it are held to.
--   masks: JSON pointers to what of its payloads not everybody may see.
--   seen: registered itself by its first event. seen_at: when an event last made the name known, give or take a day: it
--     goes with its last event.
CREATE TABLE posthorn.event_type (
    name                text        PRIMARY KEY COLLATE "C",
    revision            bigint      NOT NULL DEFAULT 1,
    description         text,
    aggregate_type      text,
    content_type        text,
    json_schema         text,
    protobuf_descriptor bytea,
    protobuf_message    text,
    masks               text[]      NOT NULL DEFAULT '{}',
    seen                boolean     NOT NULL DEFAULT true,
    seen_at             timestamptz NOT NULL DEFAULT posthorn.clock(),
    created_at          timestamptz NOT NULL DEFAULT posthorn.clock(),
    changed_at          timestamptz NOT NULL DEFAULT posthorn.clock()
);

-- The sources that gave events ids of their own: an event is found by such an id and its source.
CREATE TABLE posthorn.event_source (
    name    text        PRIMARY KEY COLLATE "C",
    seen_at timestamptz NOT NULL DEFAULT posthorn.clock()
);

-- A subscription as it was asked for. Whether it is paused, and how far it is, stands in posthorn.subscription, which
-- the relay makes.
--   document: without its secrets. secrets: those, encrypted; key_id: by which key.
--   former_secret: the signing secret that a new one has followed, as the document shows it. Until former_secret_until
--     both sign, then the hub drops it.
--   deleted_at: nobody is to serve it any more; the row goes when nobody does.
CREATE TABLE posthorn.hub_subscription (
    name                text        PRIMARY KEY COLLATE "C",
    revision            bigint      NOT NULL DEFAULT 1,
    document            text        NOT NULL,
    secrets             bytea,
    key_id              text,
    former_secret       text,
    former_secret_until timestamptz,
    created_at          timestamptz NOT NULL DEFAULT posthorn.clock(),
    changed_at          timestamptz NOT NULL DEFAULT posthorn.clock(),
    deleted_at          timestamptz
);
CREATE INDEX hub_subscription_former_secret ON posthorn.hub_subscription (former_secret_until)
    WHERE former_secret_until IS NOT NULL;

-- What a subscription was before and is now, without secrets. A null document: it was deleted.
CREATE TABLE posthorn.hub_subscription_revision (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text        NOT NULL COLLATE "C",
    revision   bigint      NOT NULL,
    document   text,
    changed_by text        NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT posthorn.clock()
);
CREATE INDEX hub_subscription_revision_name ON posthorn.hub_subscription_revision (name, id);

-- Who may call.
--   payload: sees what others see masked.
--   sources, types: patterns of what a publisher's key may publish; none means any.
--   hash: SHA-256 of the key, which is long and random, so that it needs no salt and no slow hash.
CREATE TABLE posthorn.api_key (
    name       text        PRIMARY KEY COLLATE "C",
    role       text        NOT NULL CHECK (role IN ('publisher', 'viewer', 'operator', 'admin')),
    payload    boolean     NOT NULL DEFAULT false,
    sources    text[]      NOT NULL DEFAULT '{}',
    types      text[]      NOT NULL DEFAULT '{}',
    hash       bytea       NOT NULL UNIQUE,
    created_by text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT posthorn.clock(),
    revoked_at timestamptz
);
