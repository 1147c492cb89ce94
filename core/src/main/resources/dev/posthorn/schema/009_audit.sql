-- Who did what. Written by the transaction that does it; never changed.
--   action: such as 'replay.start'.
--   target: what it was done to, as its kind and name or id: 'subscription/orders'.
--   detail: what was asked for, a filter for instance.
--   count: how many things it was done to, if that is known then.
CREATE TABLE posthorn.audit (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    done_at    timestamptz NOT NULL DEFAULT posthorn.clock(),
    actor      text        NOT NULL,
    action     text        NOT NULL COLLATE "C",
    target     text        NOT NULL COLLATE "C",
    detail     jsonb       NOT NULL DEFAULT '{}',
    count      bigint,
    reason     text,
    request_id text
);
CREATE INDEX audit_time ON posthorn.audit (done_at, id);
CREATE INDEX audit_actor ON posthorn.audit (actor, id);
CREATE INDEX audit_action ON posthorn.audit (action, id);
CREATE INDEX audit_target ON posthorn.audit (target, id);
CREATE INDEX audit_request ON posthorn.audit (request_id, id) WHERE request_id IS NOT NULL;

CREATE FUNCTION posthorn.refuse_audit_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'the audit can only be added to: % was refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON posthorn.audit
    FOR EACH STATEMENT EXECUTE FUNCTION posthorn.refuse_audit_change();
