package dev.posthorn.embedded.postgres;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A program that starts a server, commits one row, says so, and then waits to be killed. */
final class ServerThatIsKilledWithItsProgram {
    private ServerThatIsKilledWithItsProgram() {}

    public static void main(String[] args) throws Exception {
        var postgres =
                EmbeddedPostgres.builder().dataDirectory(Path.of(args[0])).start();
        Sql.run(postgres, "CREATE TABLE kept (id int)", "INSERT INTO kept VALUES (42)");
        System.out.println("ready " + postgres.processId());
        new CountDownLatch(1).await();
    }
}
