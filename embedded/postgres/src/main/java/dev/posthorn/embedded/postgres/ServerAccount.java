package dev.posthorn.embedded.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Under which account the server's programs run.
 *
 * <p>PostgreSQL refuses to run as root, and containers often have no other user. {@code unshare --user} starts a program in a user
 * namespace where root looks like nobody, while its files stay root's own, so nothing has to change hands. Where the kernel or
 * the container forbids that, the programs run as {@code postgres} or {@code nobody} and the data directory is given to them.
 */
final class ServerAccount {
    private static final List<String> UNSHARE = List.of("unshare", "--user");

    private final List<String> prefix;
    private final String owner;

    private ServerAccount(List<String> prefix, String owner) {
        this.prefix = prefix;
        this.owner = owner;
    }

    static ServerAccount find() {
        if (!isRoot()) {
            return new ServerAccount(List.of(), "");
        }
        if (!Boolean.getBoolean("posthorn.embedded.no-unshare") && succeeds(with(UNSHARE, "true"))) {
            return new ServerAccount(UNSHARE, "");
        }
        return Stream.of("postgres", "nobody")
                .map(ServerAccount::otherUser)
                .filter(account -> succeeds(account.command("true")))
                .findFirst()
                .orElseThrow(() -> new EmbeddedPostgresException(
                        "PostgreSQL does not run as root, and this system allows neither `unshare --user` nor `setpriv` to"
                                + " change the user. Start the program as another user."));
    }

    private static ServerAccount otherUser(String user) {
        return new ServerAccount(
                List.of("setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups", "--"), user);
    }

    /** The command as it has to be called to run under this account. The process keeps its id: every word of the prefix execs the next. */
    List<String> command(String... words) {
        return with(prefix, words);
    }

    /** Gives what we wrote in the data directory to the account, if that is another user. */
    void own(Path directory) {
        if (owner.isEmpty()) {
            return;
        }
        if (!succeeds(List.of("chown", "-R", owner + ":", directory.toString()))) {
            throw new EmbeddedPostgresException("Could not give " + directory + " to the user " + owner
                    + ", as whom PostgreSQL has to run because it does not run as root.");
        }
    }

    /** Where the programs can be unpacked so that the account can read them. */
    Path cache() {
        String named = System.getProperty("posthorn.cache", System.getenv().getOrDefault("POSTHORN_CACHE", ""));
        if (!named.isEmpty()) {
            return Path.of(named).toAbsolutePath();
        }
        // Root's home is closed to other users, /var/cache is not; /tmp would let anybody else put the programs there
        // first.
        return owner.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".cache", "posthorn").toAbsolutePath()
                : Path.of("/var/cache/posthorn");
    }

    private static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return System.getProperty("user.name", "").equals("root");
        }
    }

    private static List<String> with(List<String> prefix, String... words) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(words));
        return List.copyOf(command);
    }

    static boolean succeeds(List<String> command) {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
