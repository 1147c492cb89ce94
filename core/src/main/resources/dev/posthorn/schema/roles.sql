-- Least privilege, for the owner of the schema to run once and adapt: grant posthorn_writer to the applications that
-- record events, posthorn_relay to the relay. Neither can change an event, nor delete one but by way of retention.
-- Roles belong to the whole cluster: another database or schema of it may have made them already.
DO $$ BEGIN
    CREATE ROLE posthorn_writer NOLOGIN;
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;
GRANT USAGE ON SCHEMA posthorn TO posthorn_writer;
GRANT INSERT ON posthorn.event TO posthorn_writer;
GRANT USAGE ON SEQUENCE posthorn.event_seq TO posthorn_writer;
GRANT SELECT, INSERT, UPDATE (entered_at) ON posthorn.inbox_entry TO posthorn_writer;
GRANT SELECT, INSERT, UPDATE ON posthorn.inbox_retention TO posthorn_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON posthorn.consumer_partition, posthorn.consumer_attempt TO posthorn_writer;

DO $$ BEGIN
    CREATE ROLE posthorn_relay NOLOGIN;
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;
GRANT USAGE ON SCHEMA posthorn TO posthorn_relay;
GRANT SELECT ON posthorn.schema_version, posthorn.cluster, posthorn.cluster_row, posthorn.event, posthorn.event_seq, posthorn.event_default, posthorn.event_partition TO posthorn_relay;
GRANT SELECT, INSERT, UPDATE, DELETE ON posthorn.subscription, posthorn.lane, posthorn.lane_owner, posthorn.lane_mark, posthorn.front, posthorn.lane_drain, posthorn.receipt, posthorn.front_receipt, posthorn.session, posthorn.served, posthorn.subscription_change TO posthorn_relay;
GRANT SELECT, INSERT, UPDATE, DELETE ON posthorn.generation, posthorn.lane_gauge, posthorn.delivery, posthorn.kept_event, posthorn.dead_letter, posthorn.attempt, posthorn.command, posthorn.rate TO posthorn_relay;
GRANT SELECT, INSERT, UPDATE, DELETE ON posthorn.replay, posthorn.replay_subscription, posthorn.replay_item, posthorn.replay_delivered, posthorn.replay_rate TO posthorn_relay;
GRANT SELECT, INSERT, UPDATE, DELETE ON posthorn.dead_letter_note TO posthorn_relay;
GRANT SELECT, INSERT, UPDATE, DELETE ON posthorn.deleted_subscription, posthorn.undelivered TO posthorn_relay;
GRANT SELECT, INSERT ON posthorn.audit TO posthorn_relay;
GRANT SELECT ON posthorn.era, posthorn.event_status, posthorn.lane_effective, posthorn.mark TO posthorn_relay;
GRANT USAGE ON SEQUENCE posthorn.delivery_place TO posthorn_relay;
GRANT EXECUTE ON FUNCTION posthorn.add_partition(bigint, bigint) TO posthorn_relay;
GRANT UPDATE (passed_xid, passed_era, passed_at) ON posthorn.event_partition TO posthorn_relay;
GRANT EXECUTE ON FUNCTION posthorn.lock_partition(bigint), posthorn.drop_partition(bigint) TO posthorn_relay;
GRANT EXECUTE ON FUNCTION posthorn.delete_strays(timestamptz, integer) TO posthorn_relay;
GRANT SELECT, DELETE ON posthorn.inbox_entry TO posthorn_relay;
GRANT SELECT, INSERT, UPDATE, DELETE ON posthorn.retention, posthorn.inbox_retention TO posthorn_relay;
