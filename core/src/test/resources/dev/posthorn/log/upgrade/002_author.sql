-- As its next version changes it.
ALTER TABLE posthorn.note ADD COLUMN author text NOT NULL DEFAULT 'nobody';
UPDATE posthorn.note SET author = substring(text FROM '^(\w+):'), text = substring(text FROM ': (.*)$') WHERE text LIKE '%: %';
