/** Serves the files of the web console. Read {@code ConsoleFiles} first. */
@NullMarked
package dev.posthorn.server.console;

import org.jspecify.annotations.NullMarked;
