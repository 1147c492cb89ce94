-- The cluster whose transaction ids the log and the marks refer to. On another one they mean nothing: a rebase there
-- begins a new era, and until then the relay refuses to start.

-- The cluster's own identifier, or 0 if the owner of the schema may not ask for it, as on some managed servers. As the
-- owner, so that the relay's role needs no right to it.
CREATE FUNCTION posthorn.system_identifier() RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE') THEN
        RETURN (SELECT c.system_identifier FROM pg_catalog.pg_control_system() c);
    END IF;
    RETURN 0;
END
$$;

-- Where the marks were made, and in which era they are now. floor_seq: the last seq of the eras before this one.
CREATE TABLE posthorn.cluster (
    only_row          boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    system_identifier bigint  NOT NULL,
    era               integer NOT NULL DEFAULT 0,
    floor_seq         bigint  NOT NULL DEFAULT 0
);
INSERT INTO posthorn.cluster (system_identifier) VALUES (posthorn.system_identifier());

-- The last seq before each era. xids of one era do not compare with those of another.
CREATE TABLE posthorn.era (
    number    integer PRIMARY KEY,
    floor_seq bigint  NOT NULL
);
INSERT INTO posthorn.era (number, floor_seq) SELECT era, floor_seq FROM posthorn.cluster;

-- How the row of posthorn.cluster came to be here: by which transaction, in which table. A copy of it in another
-- cluster came there by another one, but its row here says what it said before.
CREATE TABLE posthorn.cluster_row (
    only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    written_by xid     NOT NULL,
    written_to oid     NOT NULL
);
INSERT INTO posthorn.cluster_row (written_by, written_to) SELECT xmin, tableoid FROM posthorn.cluster;

-- Whether the marks were made on another cluster. By the identifier, if it is known there and here.
CREATE FUNCTION posthorn.is_elsewhere() RETURNS boolean
    LANGUAGE sql STABLE
    AS $$ SELECT CASE WHEN c.system_identifier <> 0 AND here <> 0 THEN c.system_identifier <> here
                      ELSE c.xmin <> r.written_by OR c.tableoid <> r.written_to END
            FROM posthorn.cluster c CROSS JOIN posthorn.cluster_row r CROSS JOIN posthorn.system_identifier() here $$;
