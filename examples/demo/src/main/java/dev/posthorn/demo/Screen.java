package dev.posthorn.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What the demo shows. On a terminal the status line is written over the last one. */
final class Screen {

    private static final String ERASE_LINE = "\r\033[K";

    private final PrintStream out;
    private final boolean terminal;
    private boolean statusShown;

    Screen(PrintStream out) {
        this.out = out;
        this.terminal = isTerminal();
    }

    /** System.console() would ask for a terminal to read from too, and since Java 22 answers without one. */
    private static boolean isTerminal() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException e) {
            return false;
        }
    }

    synchronized void say(String format, Object... arguments) {
        if (statusShown && terminal) {
            out.println();
        }
        statusShown = false;
        out.println(String.format(Locale.ROOT, format, arguments));
    }

    synchronized void status(String format, Object... arguments) {
        String line = String.format(Locale.ROOT, format, arguments);
        if (terminal) {
            out.print(ERASE_LINE + line);
            out.flush();
        } else {
            out.println(line);
        }
        statusShown = true;
    }
}
