package dev.posthorn.faults.crash;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.embedded.postgres.Standby;

/** Two servers that change places: one is the primary, the other follows it. */
final class Pair implements AutoCloseable {

    private EmbeddedPostgres primary;
    private Standby standby;

    Pair() {
        this.primary = server().start();
        this.standby = Standby.of(primary, server());
    }

    /** Nothing reaches the disk but by a commit that waits for it: what a crash can take back, it takes. */
    private static EmbeddedPostgres.Builder server() {
        return EmbeddedPostgres.builder()
                .setting("wal_writer_delay", "10s")
                .setting("wal_writer_flush_after", "1GB")
                .setting("wal_keep_size", "1GB");
    }

    EmbeddedPostgres primary() {
        return primary;
    }

    int otherPort() {
        return standby.server().port();
    }

    /** Lets the stand-by fall behind from now on; what is on the primary's disk now it still gets. */
    void lag() {
        standby.catchUp();
        standby.disconnect();
    }

    void kill() {
        primary.kill();
    }

    /** After a kill. */
    void restart() {
        primary.start();
    }

    /** After a kill: the stand-by goes on with what it has. What the former primary had beyond that is gone for good. */
    void failOver() {
        EmbeddedPostgres former = primary;
        primary = standby.promote();
        former.close();
    }

    /** A stand-by again, on the port of the former primary. */
    void rebuild(int port) {
        standby = Standby.of(primary, server().port(port));
    }

    @Override
    public void close() {
        standby.close();
        primary.close();
    }
}
