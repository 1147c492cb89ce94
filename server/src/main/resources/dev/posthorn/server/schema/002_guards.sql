-- Guards: a thin layer in front of systems that would act twice on an event that comes twice.

-- One for all guards, so that no revision ever means two things, not even after a deletion.
CREATE SEQUENCE posthorn.guard_revision;

-- A guard as it was asked for. document: without its secrets. secrets: those, encrypted; key_id: by which key.
CREATE TABLE posthorn.guard (
    name       text        PRIMARY KEY COLLATE "C",
    revision   bigint      NOT NULL DEFAULT nextval('posthorn.guard_revision'),
    document   text        NOT NULL,
    secrets    bytea,
    key_id     text,
    created_at timestamptz NOT NULL DEFAULT posthorn.clock(),
    changed_at timestamptz NOT NULL DEFAULT posthorn.clock()
);

-- What became of each event that came to a guard. The row is committed as FORWARDING before the request leaves:
-- whatever happens then, nobody sends a second one until it is known what became of the first. It outlives its guard,
-- so that one that is made again under the same name still knows.
--   digest: an id that comes with another content is not a repetition.
--   state: FREE: the target certainly has not acted, the event may be forwarded when it comes again.
--   attempt: counts the requests, and fences the result of one against the next.
--   due_at: a request that has no result by then is in doubt.
CREATE TABLE posthorn.guard_forward (
    id              bigint      GENERATED ALWAYS AS IDENTITY UNIQUE,
    guard           text        NOT NULL COLLATE "C",
    event_id        uuid        NOT NULL,
    source          text        NOT NULL,
    source_id       text,
    type            text        NOT NULL,
    digest          bytea       NOT NULL,
    state           text        NOT NULL
                    CHECK (state IN ('FORWARDING', 'FORWARDED', 'REFUSED', 'IN_DOUBT', 'FREE', 'ABANDONED')),
    attempt         int         NOT NULL DEFAULT 1,
    instance        text        NOT NULL,
    begun_at        timestamptz NOT NULL DEFAULT posthorn.clock(),
    due_at          timestamptz NOT NULL,
    changed_at      timestamptz NOT NULL DEFAULT posthorn.clock(),
    status          int,
    reply           text,
    error_class     text,
    reason          text,
    decision        text        CHECK (decision IN ('ARRIVED', 'REPEAT', 'ABANDON')),
    decided_by      text,
    decision_reason text,
    decided_at      timestamptz,
    PRIMARY KEY (guard, event_id)
);
CREATE INDEX guard_forward_list ON posthorn.guard_forward (guard, id);
CREATE INDEX guard_forward_state ON posthorn.guard_forward (guard, state, id);
CREATE INDEX guard_forward_source_id ON posthorn.guard_forward (guard, source_id) WHERE source_id IS NOT NULL;
CREATE INDEX guard_forward_due ON posthorn.guard_forward (due_at) WHERE state = 'FORWARDING';
CREATE INDEX guard_forward_trim ON posthorn.guard_forward (changed_at) WHERE state NOT IN ('FORWARDING', 'IN_DOUBT');
