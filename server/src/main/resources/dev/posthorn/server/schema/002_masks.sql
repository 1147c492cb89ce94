-- What of the payloads not everybody may see: JSON pointers per event type, and the keys that see all the same.
ALTER TABLE posthorn.event_type ADD COLUMN masks text[] NOT NULL DEFAULT '{}';
ALTER TABLE posthorn.api_key ADD COLUMN payload boolean NOT NULL DEFAULT false;
UPDATE posthorn.api_key SET payload = true WHERE role = 'admin';
