-- As no version may be.
CREATE INDEX note_author ON posthorn.note (author);
ALTER TABLE posthorn.no_such_table ADD COLUMN author text;
