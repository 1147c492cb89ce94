-- What a publisher's key may publish: patterns of sources and of types; none means any.
ALTER TABLE posthorn.api_key ADD COLUMN sources text[] NOT NULL DEFAULT '{}';
ALTER TABLE posthorn.api_key ADD COLUMN types text[] NOT NULL DEFAULT '{}';
