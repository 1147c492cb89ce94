-- Events are asked for by the id that their source gave them. Costs nothing where that is a UUID: such an event has no
-- source_id, and no entry here.
CREATE INDEX event_source_id ON posthorn.event (source_id) WHERE source_id IS NOT NULL;
