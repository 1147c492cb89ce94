-- What the hub keeps beside the log: event types, subscriptions as they were asked for, and who may call.

-- Counts the changes of each kind of thing, so that every instance notices soon that it has to read them again.
CREATE TABLE posthorn.hub_change (
    topic  text   PRIMARY KEY CHECK (topic IN ('event-types', 'subscriptions', 'keys')),
    number bigint NOT NULL DEFAULT 0
);
INSERT INTO posthorn.hub_change (topic) VALUES ('event-types'), ('subscriptions'), ('keys');

-- seen: registered itself by its first event.
CREATE TABLE posthorn.event_type (
    name                text        PRIMARY KEY COLLATE "C",
    revision            bigint      NOT NULL DEFAULT 1,
    description         text,
    aggregate_type      text,
    content_type        text,
    json_schema         text,
    protobuf_descriptor bytea,
    protobuf_message    text,
    seen                boolean     NOT NULL DEFAULT false,
    created_at          timestamptz NOT NULL DEFAULT posthorn.clock(),
    changed_at          timestamptz NOT NULL DEFAULT posthorn.clock()
);

-- The sources that gave events ids of their own: an event is found by such an id and its source.
CREATE TABLE posthorn.event_source (
    name    text        PRIMARY KEY COLLATE "C",
    seen_at timestamptz NOT NULL DEFAULT posthorn.clock()
);

-- A subscription as it was asked for. Whether it is paused, and how far it is, stands in posthorn.subscription, which
-- the relay makes. document: without its secrets. secrets: those, encrypted; key_id: by which key. deleted_at: nobody is
-- to serve it any more; the row goes when nobody does.
CREATE TABLE posthorn.hub_subscription (
    name       text        PRIMARY KEY COLLATE "C",
    revision   bigint      NOT NULL DEFAULT 1,
    document   text        NOT NULL,
    secrets    bytea,
    key_id     text,
    created_at timestamptz NOT NULL DEFAULT posthorn.clock(),
    changed_at timestamptz NOT NULL DEFAULT posthorn.clock(),
    deleted_at timestamptz
);

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

-- hash: SHA-256 of the key, which is long and random, so that it needs no salt and no slow hash.
CREATE TABLE posthorn.api_key (
    name       text        PRIMARY KEY COLLATE "C",
    role       text        NOT NULL CHECK (role IN ('publisher', 'viewer', 'operator', 'admin')),
    hash       bytea       NOT NULL UNIQUE,
    created_by text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT posthorn.clock(),
    revoked_at timestamptz
);
