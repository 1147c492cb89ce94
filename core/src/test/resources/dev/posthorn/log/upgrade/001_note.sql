-- As an older version of something built on the library had it.
CREATE TABLE posthorn.note (
    id   bigint PRIMARY KEY,
    text text   NOT NULL
);
