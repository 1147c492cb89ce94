package dev.posthorn.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;

/** Where a program writes. */
record Console(PrintStream out, PrintStream err) {

    /** The JVM's own choice follows the locale, and under LANG=C it would print "?" for every dash and ellipsis. */
    static Console standard() {
        return new Console(
                new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8));
    }

    /** The command line of a program; a wrong option is told in two lines. */
    CommandLine commandLine(Object program) {
        return new CommandLine(program)
                .setOut(new PrintWriter(out, true, UTF_8))
                .setErr(new PrintWriter(err, true, UTF_8))
                .setUsageHelpWidth(100)
                .setParameterExceptionHandler((e, arguments) -> refuse(e));
    }

    int refuse(ParameterException e) {
        String program = e.getCommandLine().getCommandName();
        err.println(program + ": " + e.getMessage());
        err.println("\"" + program + " --help\" shows the options.");
        return ExitCode.USAGE;
    }
}
